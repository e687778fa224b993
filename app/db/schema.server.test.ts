import { env } from "cloudflare:workers";
import { getTableColumns, getTableName, isTable } from "drizzle-orm";
import { expect, test } from "vitest";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { violates } from "./db.server.ts";
import * as supportTables from "./schema/support-tables.server.ts";
import * as mainTables from "./schema.server.ts";

const { orders, services, users, wallets } = mainTables;

for (const [binding, schema] of Object.entries({ DB: mainTables, DB_SUPPORT: supportTables })) {
  test(`${binding} has exactly the tables of its schema, all STRICT`, async () => {
    const { results } = await env[binding as "DB" | "DB_SUPPORT"]
      .prepare("pragma table_list")
      .all<{ name: string; type: string; strict: number }>();
    const own = results.filter(({ name, type }) => type === "table" && !/^(sqlite_|_cf_|d1_)/.test(name));
    const tables = Object.values(schema).filter((value) => isTable(value));
    expect(own.map(({ name }) => name).toSorted()).toEqual(tables.map(getTableName).toSorted());
    expect(own.filter(({ strict }) => strict !== 1).map(({ name }) => name)).toEqual([]);
  });

  test(`${binding} has exactly the columns of its schema`, async () => {
    for (const table of Object.values(schema).filter((value) => isTable(value))) {
      const { results } = await env[binding as "DB" | "DB_SUPPORT"]
        .prepare(`select name from pragma_table_xinfo('${getTableName(table)}')`)
        .all<{ name: string }>();
      const columns = Object.values(getTableColumns(table)).map(({ name }) => name);
      expect(results.map(({ name }) => name).toSorted(), getTableName(table)).toEqual(columns.toSorted());
    }
  });
}

test("enforces foreign keys", async () => {
  const { results } = await env.DB.prepare("pragma foreign_keys").all();
  expect(results).toEqual([{ foreign_keys: 1 }]);
});

test("refuses an email that differs only in case", async () => {
  const { email } = await customerWith(0);
  const again = db.insert(users).values({ id: "other", email: email.toUpperCase(), passwordHash: null, createdAt: 1 });
  await expectViolation(again, "users.email");
});

test("refuses rows that break an invariant by constraint", async () => {
  const { userId } = await customerWith(0);
  const service = { network: "X", category: "Likes", name: "Likes", rate: 1, min: 1, max: 10 };
  const [made] = await db.insert(services).values(service).returning();
  const order = {
    userId,
    serviceId: made?.id ?? 0,
    type: "Default" as const,
    link: "https://x.example",
    quantity: 1,
    charge: 10,
    remains: 1,
    idempotencyKey: "k",
    requestDigest: "d",
    source: "api" as const,
    fulfillment: "manual" as const,
    createdAt: 1,
    updatedAt: 1,
  };
  await db.insert(orders).values(order);
  await expectViolation(db.insert(orders).values(order), "orders.idempotency_key");
  await expectViolation(
    db.insert(orders).values({ ...order, id: 2 ** 31, idempotencyKey: "a" }),
    "order_id_fits_int32",
  );
  await expectViolation(
    db.insert(orders).values({ ...order, refunded: 11, idempotencyKey: "b" }),
    "order_refund_within_charge",
  );
  await expectViolation(db.update(wallets).set({ balance: -1 }), "wallet_balance_not_negative");
  await expectViolation(db.insert(services).values({ ...service, min: 11 }), "service_limits_in_order");
});

test("refuses text in an INTEGER column", async () => {
  const statement = env.DB.prepare("update wallets set balance = 'much'");
  await customerWith(0);
  await expect(statement.run()).rejects.toThrow(/cannot store TEXT value in INTEGER column/);
});

async function expectViolation(work: PromiseLike<unknown>, constraint: string): Promise<void> {
  const error = await Promise.resolve(work).then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(violates(error, constraint), `${constraint}: ${error}`).toBe(true);
}
