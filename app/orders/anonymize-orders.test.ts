import { env } from "cloudflare:workers";
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { cancellations, customerNotes, orders, refills } from "#app/db/schema.server.ts";
import { linkKeyOf } from "#app/orders/rules/links/link-key.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { anonymizeOrders, OrdersLeft } from "./anonymize-orders.server.ts";
import { exportOrderData } from "./export-order-data.server.ts";

test("refunds the queued orders of a deleted account, but holds those that the provider may have", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink(null, 1), sandboxLink(null, 2)]);
  const [unsent = 0, cutOff = 0] = orderIds;
  await db
    .update(orders)
    .set({ resendUntil: Date.now() + 60_000 })
    .where(eq(orders.id, cutOff));
  expect((await readOrder(cutOff)).linkKey).toBe(linkKeyOf(sandboxLink(null, 2)));
  await anonymizeOrders(db, env, userId);
  expect(await readOrder(unsent)).toMatchObject({ status: "Canceled", refunded: 900_000, link: "", linkKey: null });
  const held = { status: "Pending", fulfillment: "held", heldFor: "account_deleted", refunded: 0 };
  expect(await readOrder(cutOff)).toMatchObject({ ...held, link: "", linkKey: null });
});

test("keeps the notes that a deleted member of the team made, without their name", async () => {
  const { userId: authorId } = await customerWith(0);
  const { userId } = await customerWith(0);
  const note = { userId, body: "Pays by invoice", createdAt: 1 };
  await db.insert(customerNotes).values({ ...note, authorId, authorName: "Grace" });
  await anonymizeOrders(db, env, authorId);
  const left = db.select().from(customerNotes).where(eq(customerNotes.userId, userId));
  expect(await left).toMatchObject([{ ...note, authorId: null, authorName: "" }]);
  await anonymizeOrders(db, env, userId);
  expect(await left).toEqual([]);
});

test("cancels at most 100 orders per call, and changes nothing else before all are canceled", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink(null, 1)]);
  const copies = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100)`;
  const columns = sql.raw(
    Object.values(getTableColumns(orders))
      .map(({ name }) => name)
      .filter((name) => name !== "id" && name !== "idempotency_key")
      .join(", "),
  );
  await db.run(sql`${copies} insert into orders (idempotency_key, ${columns})
    select 'copy ' || i, ${columns} from n, orders where id = ${orderIds[0]}`);
  await expect(anonymizeOrders(db, env, userId)).rejects.toThrow(OrdersLeft);
  const open = and(eq(orders.userId, userId), eq(orders.status, "Pending"));
  expect(await db.$count(orders, open)).toBe(1);
  expect(await db.$count(orders, eq(orders.userId, userId))).toBe(101);
  await anonymizeOrders(db, env, userId);
  expect(await db.$count(orders, eq(orders.userId, userId))).toBe(0);
});

test("neither deletion nor export of an account reads other customers' refills and cancellations", async () => {
  const strangers = await placeOrders([sandboxLink(null, 1), sandboxLink(null, 2)]);
  const now = Date.now();
  for (const orderId of strangers.orderIds) {
    const row = { orderId, userId: strangers.userId, createdAt: now, updatedAt: now };
    await db.insert(refills).values(Array.from({ length: 9 }, () => ({ ...row, status: "Completed" as const })));
    await db.insert(cancellations).values({ ...row, status: "Rejected", fulfillment: "manual" });
  }
  const { userId } = await customerWith(0);
  const { database, byStatement } = countedDatabase(env.DB);
  await exportOrderData(connect(database), userId);
  await anonymizeOrders(connect(database), env, userId);
  const read = [...byStatement].filter(([statement]) => /(from|update) "(refills|cancellations)"/.test(statement));
  expect(read).toHaveLength(4);
  for (const [statement, { rowsRead }] of read) expect(rowsRead, statement).toBeLessThan(5);
});
