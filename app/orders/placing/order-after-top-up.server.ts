import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq } from "drizzle-orm";
import type { FormResult } from "#app/components/forms/form-result.ts";
import type { Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { ownOrders } from "#app/orders/list/order-rows.server.ts";
import { readCarriedCode } from "./codes/carried-code.server.ts";
import { placeFromForm } from "./place-order-form.server.ts";
import { ORDER_FORM_PATH, readPlannedOrder } from "./planned-order.server.ts";

/** Where the placed order is shown, or the result for a form that stays on the top-up page. */
type Placed = { ok: true; path: string } | { ok: false; result: FormResult };

/**
 * Returns where the order is shown that this form placed when it was sent before, or null. A form that is sent again must
 * not say that nothing was ordered, whatever its code, the balance and the price are by then.
 */
export async function findPlacedBefore(db: Db, userId: string, form: FormData): Promise<string | null> {
  const isThis = eq(orders.idempotencyKey, formText(form, "idempotencyKey"));
  const [order] = await db
    .select({ id: orders.id })
    .from(orders)
    .where(and(ownOrders(userId), isThis))
    .limit(1);
  return order ? pathOfPlaced(order.id) : null;
}

/**
 * Places the order that the top-up page's URL carries, if it still costs what the page showed: the form sends that as
 * `charge`, with its idempotency key.
 */
export async function placePlannedOrder(
  context: AppLoadContext,
  userId: string,
  searchParams: URLSearchParams,
  form: FormData,
): Promise<Placed> {
  const code = await readCarriedCode(context, userId, searchParams);
  const planned = await readPlannedOrder(context.db, searchParams, userId, code);
  if (!planned) return refuse("This service is no longer available, so nothing was ordered. Choose another one.");
  if (planned.charge === null)
    return refuse("This order isn't complete, so nothing was ordered. Continue it in the form.");
  if (String(planned.charge) !== formText(form, "charge")) {
    return refuse("The price has changed, so nothing was ordered. Check the new charge and place the order again.");
  }
  const order = new FormData();
  for (const [name, value] of Object.entries(planned.values)) order.set(name, value);
  order.set("shownPrice", planned.shownPrice);
  for (const name of ["idempotencyKey", "again", "agreedLink"]) order.set(name, formText(form, name));
  const placed = await placeFromForm(context, userId, order);
  if (placed.ok) return { ok: true, path: pathOfPlaced(placed.orderId) };
  // An earlier agreement stays when another one is asked for.
  const again = String(placed.duplicate ?? formText(form, "again"));
  const agreedLink = placed.doubtfulLink ?? formText(form, "agreedLink");
  return refuse(placed.text, { again, agreedLink });
}

function pathOfPlaced(orderId: number): string {
  return `${ORDER_FORM_PATH}?placed=${orderId}`;
}

function refuse(message: string, values?: Record<string, string>): { ok: false; result: FormResult } {
  return { ok: false, result: { intent: "order", ok: false, message, ...(values && { values }) } };
}
