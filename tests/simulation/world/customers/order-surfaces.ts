import type { PlaceEvent } from "../../scripts/plan-orders.ts";
import type { Customer } from "../open-world.ts";
import type { Site } from "../site.ts";

/** Why an order was refused, as the response says. */
export type OrderRefusal = "funds" | "service" | "quantity" | "terms";
export type OrderResponse = { status: number; body: Record<string, unknown>; refusal: OrderRefusal | null };
export type OrderInput = Record<string, string | number>;

const PATHS = { v1: "/api/v1/create_order", v2: "/api/v2", v2_with_id: "/api/v2", rest: "/api/order" };
const REFUSALS: [RegExp, OrderRefusal][] = [
  [/Not enough funds on balance|balance doesn&#x27;t cover (this order|these orders)/, "funds"],
  [/Incorrect service ID|This service is no longer available/, "service"],
  [/Quantity less than minimal|The minimum for this service/, "quantity"],
  [/Prices or services changed after you checked|Every line has an error/, "terms"],
];

/** Sends an order by an API, or with the dashboard's form. `name` is its idempotency key, where the surface has one. */
export async function sendOrder(
  site: Site,
  { person, keys }: Customer,
  order: { surface: PlaceEvent["surface"]; key: number; name: string; input: OrderInput },
  signal: AbortSignal,
): Promise<OrderResponse> {
  const { surface, key, name, input } = order;
  if (surface === "form") {
    const fields = Object.fromEntries(Object.entries(input).map(([field, value]) => [field, String(value)]));
    const { status, html } = await person.submit(
      "/dashboard",
      { intent: "order", idempotencyKey: name, ...fields },
      { signal },
    );
    return { status, body: { order: orderShown(html) ?? undefined, page: status, html }, refusal: refusalIn(html) };
  }
  if (surface === "mass") throw new Error("a mass order has a form of its own");
  const isV1 = surface === "v1";
  const response = await site.fetch(
    PATHS[surface],
    {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${keys[key % keys.length]?.value}`,
        ...(isV1 && { "Idempotency-Key": name }),
        ...person.clockHeaders(),
      },
      body: JSON.stringify({
        ...input,
        ...(!isV1 && { action: "add" }),
        ...((surface === "v2_with_id" || surface === "rest") && { request_id: name }),
      }),
      signal,
    },
    person.canary,
  );
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, body, refusal: refusalIn(String(isV1 ? body.title : body.error)) };
}

/** Returns the reason that a response or page gives. */
export function refusalIn(text: string): OrderRefusal | null {
  return REFUSALS.find(([sentence]) => sentence.test(text))?.[1] ?? null;
}

/** Returns the id in the notice above the form. */
function orderShown(html: string): number | null {
  const shown = /Order (\d+) (?:placed|was already placed)/.exec(html)?.[1];
  return shown === undefined ? null : Number(shown);
}
