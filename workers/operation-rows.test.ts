import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { orders, redeemBatches, redeemCodes, services } from "#app/db/schema.server.ts";
import { syncMailbox } from "#app/gmail/sync/sync-mailbox.server.ts";
import { requestRefill } from "#app/orders/fulfillment/refills.server.ts";
import { applyStripeEvent } from "#app/orders/top-up/apply-stripe-event.server.ts";
import { codeDigest, redeemCode } from "#app/orders/top-up/redeem-code.server.ts";
import { MICRO } from "#app/product.ts";
import { countedDatabase, type StatementCounts } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { connectMailbox, lane, someone } from "#tests/workerd/gmail-mailbox.ts";
import { newAccount, PASSWORD } from "#tests/workerd/new-account.ts";
import { acceptOrders, placeOrders } from "#tests/workerd/place-orders.ts";
import { checkoutEvent, opened } from "#tests/workerd/stripe-events.ts";
import { openPage } from "../tests/open-page.ts";

/** Rows of tables and of indexes, as docs/limits-and-costs.md names them, with a queued email and what follows the response. */
const ROWS = {
  ...{ logIn: 17, refusedLogIn: 9, newDevice: 31, signUp: 35, refill: 5, code: 10, payment: 8 },
  ...{ firstSync: 313, syncWithoutNews: 5 },
};
/** Of a first sync. */
const MESSAGES = 100;
const CODE = "ABCD-EFGH-JKLM-NPQR";

test("writes as many rows for a log-in, a sign-up, a refill, a top-up and a Gmail sync as the costs are computed with", async () => {
  const written: Partial<Record<keyof typeof ROWS, number>> = {};
  const listed: string[] = [];
  async function count(name: keyof typeof ROWS, run: (database: D1Database) => Promise<unknown>) {
    const { database, byStatement } = countedDatabase(env.DB);
    await run(database);
    written[name] = sum(byStatement);
    listed.push(`${name}:\n${list(byStatement)}`);
  }
  const post =
    (path: string, fields: Record<string, string>, { cookie = "", expected = 302 } = {}) =>
    async (database: D1Database) => {
      const { status, headers } = await openPage(path, { cookie, database, body: new URLSearchParams(fields) });
      expect(status).toBe(expected);
      return headers;
    };

  const { email } = await newAccount();
  const first = await post("/auth/login", { email, password: PASSWORD })(env.DB);
  const device = first.getSetCookie().map((set) => set.split(";")[0]);
  await count("logIn", post("/auth/login", { email, password: PASSWORD }, { cookie: device.join("; ") }));
  await count("newDevice", post("/auth/login", { email, password: PASSWORD }));
  const wrong = { email: (await newAccount()).email, password: "wrong" };
  await count("refusedLogIn", post("/auth/login", wrong, { expected: 400 }));
  const made = { email: `${crypto.randomUUID()}@test.example`, password: PASSWORD, fullName: "Ada" };
  await count("signUp", post("/auth/signup", made));

  const { orderIds, userId } = await placeOrders(["https://instagram.com/p/rows"]);
  const orderId = orderIds[0] ?? 0;
  await acceptOrders(orderIds);
  await db.update(orders).set({ status: "Completed" }).where(eq(orders.id, orderId));
  await db.update(services).set({ refill: true });
  await count("refill", async (database) => {
    expect(await requestRefill(connect(database), { userId, isTest: false }, orderId)).toMatchObject({ ok: true });
  });
  const batches = await db
    .insert(redeemBatches)
    .values({ name: "", amount: MICRO, count: 1, maxUses: 1, createdAt: 1 });
  const codes = { batchId: Number(batches.meta.last_row_id), digest: codeDigest(CODE), ending: "", usesLeft: 1 };
  await db.insert(redeemCodes).values(codes);
  await count("code", async (database) => {
    expect(await redeemCode(connect(database), userId, CODE)).toMatchObject({ ok: true });
  });
  const { checkout } = await opened();
  const paid = checkoutEvent("checkout.session.completed", checkout, { payment_status: "paid" });
  await count("payment", (database) => applyStripeEvent(connect(database), JSON.parse(paid)));

  const { env: settings } = await lane();
  const owner = someone();
  await connectMailbox(settings, owner);
  const sync = (database: D1Database) =>
    syncMailbox(connect(database), settings, owner, { type: "initial", maxMessages: MESSAGES });
  await count("firstSync", async (database) =>
    expect(await sync(database)).toMatchObject({ ok: true, read: MESSAGES }),
  );
  await count("syncWithoutNews", async (database) => expect(await sync(database)).toMatchObject({ ok: true, read: 0 }));
  console.log(`rows written: ${JSON.stringify(written)}\n${listed.join("\n")}`);
  expect(written).toEqual(ROWS);
});

function sum(byStatement: Map<string, StatementCounts>): number {
  return [...byStatement.values()].reduce((total, { rowsWritten }) => total + rowsWritten, 0);
}

/** Lists the statements that wrote. */
function list(byStatement: Map<string, StatementCounts>): string {
  return [...byStatement]
    .filter(([, { rowsWritten }]) => rowsWritten > 0)
    .map(([query, { rowsWritten }]) => `${rowsWritten}  ${query.replaceAll(/\s+/g, " ").slice(0, 80)}`)
    .join("\n");
}
