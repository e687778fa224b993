import type { PlaceEvent } from "../scripts/plan-orders.ts";
import type { Customer, World } from "./open-world.ts";
import type { Site } from "./site.ts";

/** An order as the customer knows it. `id` is null while no response confirmed it. */
export type PlacedOrder = {
  event: PlaceEvent;
  id: number | null;
  placedAt: number;
  /** Responses that broke the contract: another id for the same key, or an error where none was due. */
  surprises: string[];
  /** A cancellation was acknowledged at this time. */
  cancelAcceptedAt: number | null;
  refill: string | null;
};

const TRIES = 200;
const RETRY_MS = 50;
const TIMEOUT_MS = 20_000;

type Answer = { status: number; body: Record<string, unknown> };

/** Places an order as its event says, and repeats it until the product has acknowledged or refused it. */
export async function placeOrder(site: Site, world: World, event: PlaceEvent): Promise<PlacedOrder> {
  const customer = world.customers[event.customer] as Customer;
  const placed: PlacedOrder = {
    event,
    id: null,
    placedAt: world.now(),
    surprises: [],
    cancelAcceptedAt: null,
    refill: null,
  };
  if (event.hangsUpAfter !== null) await send(event.hangsUpAfter).catch(() => undefined);
  const answers = await Promise.all(Array.from({ length: event.copies }, sendUntilAnswered));
  for (const answer of answers) {
    if (!answer) continue;
    const id = Number(answer.body.order ?? answer.body.id);
    if (!Number.isSafeInteger(id)) placed.surprises.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    else if (placed.id !== null && placed.id !== id) placed.surprises.push(`ids ${placed.id} and ${id} for one key`);
    else placed.id = id;
  }
  return placed;

  /** Without a key a second request would be a second order, so it is sent once. */
  async function sendUntilAnswered(): Promise<Answer | null> {
    for (let tries = 0; tries < (event.surface === "v2" ? 1 : TRIES); tries++) {
      try {
        const answer = await send(TIMEOUT_MS);
        if (answer.status < 500) return answer;
      } catch {
        // The connection was lost.
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    return null;
  }

  async function send(timeoutMs: number): Promise<Answer> {
    const { name, quantity, runs, surface } = event;
    const fields: Record<string, string | number> = {
      service: world.providers[event.provider]?.serviceId ?? 0,
      link: world.linkOf(name),
      quantity,
      ...(runs > 1 && { runs, interval: 10 }),
    };
    const isV1 = surface === "v1";
    const init: RequestInit = {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Authorization: `Bearer ${customer.apiKey}`,
        ...(isV1 && { "Idempotency-Key": name }),
      },
      body: JSON.stringify({
        ...fields,
        ...(!isV1 && { action: "add" }),
        ...(surface === "v2_with_id" && { request_id: name }),
      }),
      signal: AbortSignal.timeout(timeoutMs),
    };
    const path = isV1 ? "/api/v1/create_order" : "/api/v2";
    const response = await site.fetch(path, init, customer.person.canary);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }
}

/** Sends an action of the panel API. Returns null if there was no response. */
export async function callPanel(
  site: Site,
  { apiKey, person }: Customer,
  fields: Record<string, string>,
): Promise<unknown | null> {
  try {
    const body = new URLSearchParams({ key: apiKey, ...fields });
    const init = { method: "POST", body, signal: AbortSignal.timeout(TIMEOUT_MS) };
    const response = await site.fetch("/api/v2", init, person.canary);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
