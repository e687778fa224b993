import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { anonymizeOrders } from "./anonymize-orders.server.ts";

test("refunds the queued orders of a deleted account, but holds those that the provider may have", async () => {
  const { userId, orderIds } = await placeOrders([sandboxLink(null, 1), sandboxLink(null, 2)]);
  const [unsent = 0, cutOff = 0] = orderIds;
  await db
    .update(orders)
    .set({ resendUntil: Date.now() + 60_000 })
    .where(eq(orders.id, cutOff));
  await anonymizeOrders(db, env, userId);
  expect(await readOrder(unsent)).toMatchObject({ status: "Canceled", refunded: 900_000 });
  expect(await readOrder(cutOff)).toMatchObject({ status: "Pending", fulfillment: "held", refunded: 0, link: "" });
});
