import { env } from "cloudflare:workers";
import { DrizzleQueryError, eq, getTableColumns, getTableName, isTable } from "drizzle-orm";
import { expect, test } from "vitest";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { databaseMessage, violates } from "./db.server.ts";
import * as supportTables from "./schema/support-tables.server.ts";
import * as mainTables from "./schema.server.ts";

const { catalogVersion, orders, percentCodes, services, tierRates, tiers, users, wallets } = mainTables;

const GOLD = { id: 1, slot: 1, name: "Gold", kind: "percent", basisPoints: 1000, createdAt: 1, updatedAt: 1 } as const;
const CODE = {
  digest: "a",
  ending: "WXYZ",
  name: "Spring",
  basisPoints: 1000,
  startsAt: 1,
  createdBy: "",
  createdAt: 1,
};

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
  await expectViolation(
    db.insert(orders).values({ ...order, heldFor: "cut_off", idempotencyKey: "c" }),
    "order_hold_reason_while_held",
  );
  await expectViolation(
    db.insert(orders).values({ ...order, discount: 1, idempotencyKey: "d" }),
    "order_discount_by_rule",
  );
  await expectViolation(db.insert(tiers).values({ ...GOLD, slot: 11 }), "tier_slot_bounded");
  await expectViolation(db.insert(tiers).values({ ...GOLD, kind: "fixed" }), "tier_discount_of_percent");
  await expectViolation(db.insert(percentCodes).values({ ...CODE, usesLeft: -1 }), "percent_code_uses_left");
  await expectViolation(db.update(wallets).set({ balance: -1 }), "wallet_balance_not_negative");
  await expectViolation(db.insert(services).values({ ...service, min: 11 }), "service_limits_in_order");
});

test("raises the version of the catalog with each change of what a tier's customers pay", async () => {
  const { userId } = await customerWith(0);
  const [made] = await db
    .insert(services)
    .values({ network: "X", category: "Likes", name: "Likes", rate: 1, min: 1, max: 10 })
    .returning();
  const serviceId = made?.id ?? 0;
  const own = eq(wallets.userId, userId);
  const isFixed = eq(tiers.id, 2);
  const changes: [what: string, change: () => PromiseLike<unknown>, raises: boolean][] = [
    ["a new tier", () => db.insert(tiers).values([GOLD, { ...GOLD, id: 2, slot: 2, name: "Own rates" }]), true],
    ["its discount", () => db.update(tiers).set({ basisPoints: 2000 }), true],
    ["its version alone", () => db.update(tiers).set({ version: 2, updatedAt: 2 }), false],
    ["its kind", () => db.update(tiers).set({ kind: "fixed", basisPoints: 0 }).where(isFixed), true],
    ["a rate", () => db.insert(tierRates).values({ tierId: 2, serviceId, rate: 5 }), true],
    ["another rate", () => db.update(tierRates).set({ rate: 6 }), true],
    ["no rate", () => db.delete(tierRates), true],
    ["an assignment", () => db.update(wallets).set({ tierId: 1 }).where(own), true],
    ["the same assignment", () => db.update(wallets).set({ tierId: 1 }).where(own), false],
    ["a charge", () => db.update(wallets).set({ balance: 5 }).where(own), false],
    ["an end", () => db.update(wallets).set({ tierId: null }).where(own), true],
    ["a wallet in a tier", () => db.insert(wallets).values({ userId: "other", tierId: 1 }), true],
    ["one without", () => db.insert(wallets).values({ userId: "third" }), false],
    ["no tier", () => db.delete(tiers).where(isFixed), true],
  ];
  for (const [what, change, raises] of changes) {
    const before = await readVersion();
    await change();
    expect((await readVersion()) > before, what).toBe(raises);
  }
  // A tier with customers stays.
  await expect(db.delete(tiers).run()).rejects.toThrow();
});

test("refuses text in an INTEGER column", async () => {
  const statement = env.DB.prepare("update wallets set balance = 'much'");
  await customerWith(0);
  await expect(statement.run()).rejects.toThrow(/cannot store TEXT value in INTEGER column/);
});

test("takes no value of a failed statement for what the database says of a constraint", () => {
  const written = "constraint failed: orders.provider_order_id";
  const query = 'update "orders" set "provider_order_id" = ?';
  const lost = new DrizzleQueryError(query, [written], new Error("D1_ERROR: Network connection lost."));
  expect(violates(lost, "orders.provider_order_id")).toBe(false);
  expect(databaseMessage(lost)).toBe("The database could not be reached");
  const refused = new DrizzleQueryError(query, ["1"], new Error(`D1_ERROR: UNIQUE ${written}: SQLITE_CONSTRAINT`));
  expect(violates(refused, "orders.provider_order_id")).toBe(true);
  expect(databaseMessage(refused)).toBe("The data could not be stored");
});

async function readVersion(): Promise<number> {
  const [row] = await db.select().from(catalogVersion);
  return row?.version ?? 0;
}

async function expectViolation(work: PromiseLike<unknown>, constraint: string): Promise<void> {
  const error = await Promise.resolve(work).then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(violates(error, constraint), `${constraint}: ${error}`).toBe(true);
}
