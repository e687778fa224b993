import type { PlaceEvent } from "../../scripts/plan-orders.ts";
import type { Customer } from "../open-world.ts";
import type { Site } from "../site.ts";

/** Why an order was refused, as the response says. */
export type OrderRefusal = "funds" | "service" | "quantity" | "terms" | "price";
export type OrderResponse = { status: number; body: Record<string, unknown>; refusal: OrderRefusal | null };
const MICRO = 1_000_000;
const TOP_UP_PAGE = "/dashboard/top-up?";
export type OrderInput = Record<string, string | number>;
/** What a program keeps with an order. */
export type KeptWithOrder = { reference?: string; metadata?: Record<string, string | number | boolean> };

const PATHS = { v1: "/api/v1/create_order", v2: "/api/v2", v2_with_id: "/api/v2", rest: "/api/order" };
const REFUSALS: [RegExp, OrderRefusal][] = [
  [/Not enough funds on balance|balance doesn&#x27;t cover (this order|these orders)/, "funds"],
  [/Incorrect service ID|This service is no longer available/, "service"],
  [/Quantity less than minimal|The minimum for this service/, "quantity"],
  [/The price of this order changed|more than max_charge/, "price"],
  [/Prices or services changed after you checked|Every line has an error/, "terms"],
];

/** What the customer agreed to: the rate that a page showed, and the most that the order may cost. Micro-units. */
export type Agreed = { rate: number; charge: number };

/** Returns whether the surface holds the product to what was agreed. Some programs don't send what they allow. */
export function isHeldToPrice({ surface, quantity }: Pick<PlaceEvent, "surface" | "quantity">): boolean {
  return surface === "form" || surface === "mass" || (surface !== "v2" && quantity % 2 === 0);
}

/** Sends an order by an API, or with the dashboard's form. `name` is its idempotency key, where the surface has one. */
export async function sendOrder(
  site: Site,
  { person, keys }: Customer,
  order: {
    surface: PlaceEvent["surface"];
    key: number;
    name: string;
    input: OrderInput;
    agreed: Agreed;
    isHeld: boolean;
    notes?: KeptWithOrder;
  },
  signal: AbortSignal,
): Promise<OrderResponse> {
  const { surface, key, name, input, agreed, isHeld, notes } = order;
  if (surface === "form") {
    const fields = Object.fromEntries(Object.entries(input).map(([field, value]) => [field, String(value)]));
    const { status, html, location } = await person.submit(
      "/dashboard",
      { intent: "order", idempotencyKey: name, shownPrice: `${agreed.rate} per 1000`, ...fields },
      { signal },
    );
    // Who can't pay is led to where they top up, with the order.
    const refusal = location?.startsWith(TOP_UP_PAGE) ? "funds" : refusalIn(html);
    return { status, body: { order: orderShown(html) ?? undefined, page: status, html, location }, refusal };
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
        ...notes,
        ...(!isV1 && { action: "add" }),
        ...((surface === "v2_with_id" || surface === "rest") && { request_id: name }),
        ...(isHeld && { max_charge: (agreed.charge / MICRO).toFixed(6) }),
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

/** Returns the rate that a page's form holds the product to, in micro-units, or null. */
export function rateShown(html: string): number | null {
  const shown = /name="shownPrice" value="(\d+)(?: of \d+)? per 1000"/.exec(html)?.[1];
  return shown === undefined ? null : Number(shown);
}

/** Returns the id in the notice above the form. */
function orderShown(html: string): number | null {
  const shown = /Order (\d+) (?:placed|was already placed)/.exec(html)?.[1];
  return shown === undefined ? null : Number(shown);
}
