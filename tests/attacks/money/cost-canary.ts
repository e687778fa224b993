import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { orders, providerLog, services } from "#app/db/schema.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { credit } from "#app/orders/wallet/ledger.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { createEndpoint } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { MICRO } from "#app/product.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { readOrder } from "#tests/workerd/place-orders.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { withoutDispatchers } from "#tests/workerd/sleeping-dispatchers.ts";

/** Unlike any other number: what the orders cost, and the rate of their provider. */
export const COST = 314_159;
const PROVIDER_RATE = 271_828;
export const ORDERS = 4;

/** Costs, their sums and what is left of the charges, as micro-units, decimals and rounded to cents; and names of fields. */
const AMOUNTS = [PROVIDER_RATE, ...Array.from({ length: ORDERS }, (_, n) => (n + 1) * COST), 900_000 - COST];
const NUMBERS = AMOUNTS.flatMap((micro) => [String(micro), (micro / MICRO).toFixed(6)]);
const FIELDS =
  /["'](cost|costs|costIsReported|cost_is_reported|costed|providerRate|provider_rate|margin|earned|byHand|by_hand|markup)\\?["']/i;

/** Returns what a text says of costs. */
export function leaksIn(text: string): string[] {
  const field = FIELDS.exec(text)?.[0];
  // Not as a part of another number: a time in ms held one by chance.
  const numbers = NUMBERS.filter((number) => new RegExp(`(?<!\\d)${number.replace(".", "\\.")}(?!\\d)`).test(text));
  return field === undefined ? numbers : [field, ...numbers];
}

/** Has the customer order what a provider charges for: a completed, a partial, a held and an open order. */
export async function costedOrders(userId: string): Promise<{ orders: number[]; service: number; provider: number }> {
  const provider = await sandboxProvider();
  const terms = {
    providerId: provider,
    providerServiceId: "1",
    providerRate: PROVIDER_RATE,
    cancel: true,
    refill: true,
  };
  const serviceId = await service({ ...terms, network: "Instagram", category: "Likes" });
  await credit(db, userId, { kind: "topup", amount: 100 * MICRO, note: "" });
  const endpoint = await createEndpoint(db, env, await ownerOf(userId), "https://shop.example/hook");
  if (!endpoint.ok) throw new Error(endpoint.reason);
  const placed: number[] = [];
  for (let n = 0; n < ORDERS; n++) {
    const fields = { link: `https://instagram.com/p/cost${n}`, quantity: "1000" };
    const order = await placeOrder(db, userId, { serviceId, fields, idempotencyKey: null, source: "api" });
    if (!order.ok) throw new Error(order.fault.reason);
    const { id } = order.order;
    const cost = { cost: COST, costIsReported: true } as const;
    const accepted = { fulfillment: "accepted", providerOrderId: `theirs-${n}`, updatedAt: Date.now() } as const;
    await db
      .update(orders)
      .set({ ...cost, ...accepted })
      .where(eq(orders.id, id));
    const response = JSON.stringify({ status: "Moon", charge: (COST / MICRO).toFixed(6) });
    await db
      .insert(providerLog)
      .values({ providerId: provider, orderId: id, action: "status", response, createdAt: 1 });
    placed.push(id);
  }
  const [completed = 0, partial = 0, held = 0] = placed;
  await closeOrder(db, withoutDispatchers, await readOrder(completed), {
    status: "Completed",
    remains: 0,
    startCount: 1,
  });
  await closeOrder(db, withoutDispatchers, await readOrder(partial), {
    status: "Partial",
    remains: 500,
    startCount: 1,
  });
  await db.update(orders).set({ fulfillment: "held" }).where(eq(orders.id, held));
  // Customers are told of changed rates.
  await db.update(services).set({ rate: 900_001 }).where(eq(services.id, serviceId));
  await rollUpSpending(db);
  return { orders: placed, service: serviceId, provider };
}
