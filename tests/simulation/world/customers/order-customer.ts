import { isDeepStrictEqual } from "node:util";
import type { PlaceEvent } from "../../scripts/plan-orders.ts";
import { SHARED_REFERENCES } from "../../scripts/plan-programs.ts";
import type { Customer, World } from "../open-world.ts";
import { TRIES, waitAfter } from "../persist.ts";
import { canaryOf, type Site, usernameOf } from "../site.ts";
import {
  isHeldToPrice,
  type KeptWithOrder,
  type OrderInput,
  type OrderRefusal,
  type OrderResponse,
  rateShown,
  sendOrder,
} from "./order-surfaces.ts";

/** An order as the customer knows it. `id` is null while no response confirmed it. */
export type PlacedOrder = {
  event: PlaceEvent;
  id: number | null;
  /** When it was first tried, and its last response arrived, in simulated ms since the script's beginning. */
  placedAt: number;
  confirmedAt: number;
  /** Responses that broke the contract: another id for the same key, or an error where none was due. */
  surprises: string[];
  /** Returns the rates that it may be charged by, in micro-units, if they change. */
  rates?: () => number[];
  /** A response refused it. */
  refusal: OrderRefusal | null;
  /** The rate on the page that refused it, in micro-units. */
  rateShown?: number | null;
  /** A cancellation was acknowledged at this time, or its response was lost. */
  cancelAcceptedAt: number | null;
  refill: string | null;
};

/** A subscription that names no posts. */
const OPEN_ENDED_POSTS = 30;
const TIMEOUT_MS = 20_000;

export function newlyPlaced(world: World, event: PlaceEvent): PlacedOrder {
  const now = world.now();
  const known = { id: null, surprises: [], refusal: null, cancelAcceptedAt: null, refill: null };
  return { event, placedAt: now, confirmedAt: now, ...known };
}

/** Returns our id of the service that is ordered. */
export function serviceOf({ providers, shop }: World, { provider, service, subscription }: PlaceEvent): number {
  if (service !== undefined) return shop?.serviceIds[service] ?? 0;
  return (subscription ? providers[provider]?.subscriptionId : providers[provider]?.serviceId) ?? 0;
}

/** Returns what an order costs by a rate in micro-units. */
export function chargeBy(rate: number, { quantity, runs, subscription }: PlaceEvent): number {
  const { posts = 0, oldPosts = 0 } = subscription ?? {};
  const times = subscription ? (posts ?? 0) + (oldPosts ?? 0) || OPEN_ENDED_POSTS : runs;
  return Math.ceil((rate * quantity * times) / 1000);
}

/** Returns what a program sends with the order to keep. It has the customer's canary, so that nobody else may read it. */
export function notesOf({ name, customer, quantity, runs, notes }: PlaceEvent): KeptWithOrder {
  const canary = canaryOf(customer);
  const reference = notes?.reference === "own" ? `${name} of ${canary}` : sharedReference(customer, quantity);
  const metadata = { order: name, for: canary, pieces: quantity * runs, rate: 0.5, "is drip-feed": runs > 1 };
  return { ...(notes?.reference && { reference }), ...(notes?.hasMetadata && { metadata }) };
}

export function sharedReference(customer: number, number: number): string {
  return `campaign ${number % SHARED_REFERENCES}: "größer & <b>" ${canaryOf(customer)}`;
}

/** Places an order as its event says, at the rate that the customer has seen, and repeats it until the product has acknowledged or refused it. */
export async function placeOrder(site: Site, world: World, event: PlaceEvent, rate = world.rate): Promise<PlacedOrder> {
  const customer = world.customers[event.customer] as Customer;
  const placed = newlyPlaced(world, event);
  if (customer.hasLeft) return placed;
  if (event.hangsUpAfter !== null) await send(event.key, event.hangsUpAfter).catch(() => undefined);
  // The account's keys share its idempotency keys.
  const responses = await Promise.all(
    Array.from({ length: event.copies }, (_, copy) => sendUntilAnswered(event.key + copy)),
  );
  for (const response of responses) {
    if (!response) continue;
    if (mayRefuse(customer, event, response.refusal)) {
      placed.refusal = response.refusal;
      placed.rateShown = typeof response.body.html === "string" ? rateShown(response.body.html) : null;
      continue;
    }
    const id = Number(response.body.order ?? response.body.id);
    if (!Number.isSafeInteger(id)) placed.surprises.push(`${response.status} ${JSON.stringify(response.body)}`);
    else if (placed.id !== null && placed.id !== id) placed.surprises.push(`ids ${placed.id} and ${id} for one key`);
    else placed.id = id;
    const { reference, metadata } = notesOf(event);
    const kept = { reference: response.body.reference, metadata: response.body.metadata };
    if (event.surface === "v1" && !isDeepStrictEqual(kept, { reference, metadata })) {
      placed.surprises.push(`a v1 order returns what was sent with it: ${JSON.stringify(kept)}`);
    }
  }
  if (placed.id !== null) site.count(`order placed by ${event.surface}`);
  return placed;

  /** Without a key a second request would be a second order, so it is sent once. */
  async function sendUntilAnswered(key: number): Promise<OrderResponse | null> {
    for (let tries = 1; tries <= (event.surface === "v2" ? 1 : TRIES); tries++) {
      const value = customer.keys[key % customer.keys.length]?.value;
      try {
        const response = await send(key, TIMEOUT_MS);
        const hasKeyEnded = value !== customer.keys[key % customer.keys.length]?.value;
        const isRefused = response.body.order === undefined && response.body.id === undefined;
        // The form leads to the log-in while a session has ended.
        const isLoggedOut =
          event.surface === "form" && response.refusal === null && (response.status === 302 || response.status === 401);
        if (customer.hasLeft && isRefused) return null;
        if (response.status < 500 && !(isRefused && hasKeyEnded) && !isLoggedOut) return response;
      } catch {
        // The connection was lost.
      }
      await waitAfter(site, tries);
    }
    return null;
  }

  function send(key: number, timeoutMs: number): Promise<OrderResponse> {
    return sendOnce(site, world, event, { key, rate, timeoutMs });
  }
}

/** Sends an order once. */
export function sendOnce(
  site: Site,
  world: World,
  event: PlaceEvent,
  { key, rate, timeoutMs }: { key: number; rate: number; timeoutMs: number },
): Promise<OrderResponse> {
  const { name, surface } = event;
  const input = { service: serviceOf(world, event), ...termsOf(world, event) };
  const agreed = { rate, charge: chargeBy(rate, event) };
  const order = { surface, key, name, input, agreed, isHeld: isHeldToPrice(event), notes: notesOf(event) };
  return sendOrder(site, world.customers[event.customer] as Customer, order, AbortSignal.timeout(timeoutMs));
}

function termsOf(world: World, { name, quantity, runs, subscription }: PlaceEvent): OrderInput {
  if (!subscription) return { link: world.linkOf(name), quantity, ...(runs > 1 && { runs, interval: 10 }) };
  const { min, posts, oldPosts, delay, expiry } = subscription;
  return {
    username: usernameOf(world.linkOf(name)),
    min,
    max: quantity,
    delay,
    ...(posts !== null && { posts }),
    ...(oldPosts !== null && { old_posts: oldPosts }),
    ...(expiry !== null && { expiry }),
  };
}

/** Returns whether somebody without money, or who orders what is changing, must live with the refusal. */
export function mayRefuse({ opening }: Customer, { service }: PlaceEvent, refusal: OrderRefusal | null): boolean {
  return refusal === "funds" ? opening === 0 : refusal !== null && service !== undefined;
}

/** Sends an action of the panel API. Returns null if there was no response. */
export async function callPanel(
  site: Site,
  { keys, person }: Customer,
  fields: Record<string, string>,
): Promise<unknown | null> {
  try {
    const body = new URLSearchParams({ key: keys[0]?.value ?? "", ...fields });
    const init = { method: "POST", body, headers: person.clockHeaders(), signal: AbortSignal.timeout(TIMEOUT_MS) };
    const response = await site.fetch("/api/v2", init, person.canary);
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}
