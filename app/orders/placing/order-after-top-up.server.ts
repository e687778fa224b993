import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq } from "drizzle-orm";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { ownOrders } from "#app/orders/list/order-rows.server.ts";
import { readCarriedCode } from "./codes/carried-code.server.ts";
import { placeFromForm, UNAVAILABLE_TEXT } from "./place-order-form.server.ts";
import { ORDER_FORM_PATH, readPlannedOrder } from "./planned-order.server.ts";

type Shown = Extract<FormOutcome, { kind: "shown" }>;
/** The status of an outcome that nobody knows, because the database did not answer. */
export const UNANSWERED = 503;
/** Where the placed order is shown, or the outcome for a form that stays on the top-up page. */
type Placed = { ok: true; path: string } | { ok: false; outcome: Shown };

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
  if (placed.isUnavailable) return { ok: false, outcome: unansweredOutcome(form, placed.text) };
  // An earlier agreement stays when another one is asked for.
  const again = String(placed.duplicate ?? formText(form, "again"));
  const agreedLink = placed.doubtfulLink ?? formText(form, "agreedLink");
  return refuse(placed.text, { again, agreedLink });
}

/**
 * Returns what `place` does, or the outcome of a form whose order may have been placed, because the database did not answer.
 * The form keeps its key: sent again, it places the order once.
 */
export async function keepingKey<Result>(
  { requestId }: AppLoadContext,
  form: FormData,
  place: () => Promise<Result>,
): Promise<Result | Shown> {
  try {
    return await place();
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    logError("order of the top-up page not placed", error, { request_id: requestId });
    return unansweredOutcome(form, UNAVAILABLE_TEXT);
  }
}

function unansweredOutcome(form: FormData, message: string): Shown {
  const values = Object.fromEntries(
    ["idempotencyKey", "again", "agreedLink", "code"].map((name) => [name, formText(form, name)]),
  );
  return {
    kind: "shown",
    status: UNANSWERED,
    result: { intent: formText(form, "intent"), ok: false, message, values },
  };
}

function pathOfPlaced(orderId: number): string {
  return `${ORDER_FORM_PATH}?placed=${orderId}`;
}

function refuse(message: string, values?: Record<string, string>): Placed {
  const result: FormResult = { intent: "order", ok: false, message, ...(values && { values }) };
  return { ok: false, outcome: { kind: "shown", status: 409, result } };
}
