import type { Db } from "#app/db/db.server.ts";
import type { Order } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import type { DeferralCause } from "#app/orders/providers/conventions/error-meanings.ts";
import { readerOf } from "#app/orders/providers/dialect.server.ts";
import {
  connectionTo,
  type FulfillmentEnv,
  noteResponse,
  type Provider,
  takesOrders,
} from "#app/orders/providers/provider-calls.server.ts";
import { postToProvider } from "#app/orders/providers/provider-client.server.ts";
import { ProviderPace } from "#app/orders/providers/provider-pace.ts";
import { type AddContext, type AddOutcome, readAdd } from "#app/orders/providers/reading/add-answer.ts";
import { ownTextsOf } from "#app/orders/providers/reading/own-texts.ts";
import {
  type ClaimedOrder,
  claimNext,
  holdSplitOrders,
  isFirstWithKey,
  mayBeSent,
} from "./submission-claims.server.ts";
import { holdSubmission, storeOutcome } from "./submission-outcomes.server.ts";

/** No order is sent for this long after one that the provider did not take. */
const BACK_OFF_MS = 10_000;
/** Each unknown outcome holds an order. After this many in a row, the back-off doubles, up to ten minutes. */
export const UNKNOWN_IN_A_ROW = 5;
const MAX_BACK_OFF_MS = 10 * 60_000;

/** State of sending to one provider. */
export type Sending = {
  /** No order is sent before this. Ms since 1970. */
  from: number;
  /** Unknown outcomes in a row. While there is one, orders are sent one at a time. */
  unknown: number;
  /** The customer with the last unknown outcome. One customer's say nothing about the provider, so only their orders wait. */
  suspect: Suspect | null;
  /** An order was accepted since this was last set to false. */
  hasAccepted: boolean;
};

/** `orderId` is the order with the last unknown outcome, `unknown` the customer's in a row. Their orders wait until `from`. */
type Suspect = { userId: string; orderId: number; unknown: number; from: number };

export function newSending(): Sending {
  return { from: 0, unknown: 0, suspect: null, hasAccepted: false };
}

/** Submits the queued orders of a provider that are due, until none is left or the provider takes none. */
export async function submitQueued(db: Db, env: FulfillmentEnv, provider: Provider, sending: Sending): Promise<void> {
  await startSubmission(db, env, provider, sending, { until: Number.POSITIVE_INFINITY }).end();
}

export type SubmissionLimits = { until: number; isHeldUp?: () => boolean };

export type Submission = {
  /** Sends what was queued meanwhile, until the time `until`. */
  more(until?: number): void;
  /** Resolves once no call is in flight. */
  idle(): Promise<void>;
  /** Ends the submission once no call is in flight. Throws the first error. */
  end(): Promise<void>;
};

/**
 * Starts to submit the queued orders of a provider that are due, at its pace. Claims each order right before its call, so
 * that it is sent at most once and few are cut off if this is killed. No call waits for another one's outcome. Sending
 * goes on past `until` while something else is waited for: a call that started before, or what `isHeldUp` reports. Fails
 * before the first claim if the provider's URL or key cannot be used.
 */
export function startSubmission(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  sending: Sending,
  { until, isHeldUp = () => false }: SubmissionLimits,
): Submission {
  const pace = provider.pace ?? new ProviderPace(provider);
  const senders = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const inFlight = new Set<{ startedAt: number }>();
  let endsAt = until;
  let isEmpty = false;
  let isClosed = false;
  let connection: Connection | undefined;
  const maySend = () => {
    const now = Date.now();
    const isInTime = now < endsAt || isHeldUp() || [...inFlight].some(({ startedAt }) => startedAt < endsAt);
    const mayClaim = !isEmpty && errors.length === 0;
    return mayClaim && isInTime && now >= sending.from && takesOrders(provider);
  };
  const sendNext = async (): Promise<void> => {
    const slot = await pace.enter();
    let made = false;
    try {
      if (!maySend()) return;
      if (!connection) {
        connection = await connectionTo(env, provider);
        await holdSplitOrders(db, provider);
      }
      const order = await claimNext(db, provider, waitingUser(sending));
      if (!order) {
        isEmpty = true;
        return;
      }
      if (!mayBeSent(provider, order)) {
        const heldFor = order.requestDigest === "" ? "account_deleted" : "cut_off";
        await holdSubmission(db, order, heldFor, "the provider may have it, and its idempotency key no longer holds");
        return;
      }
      made = true;
      // An outage would hold every order that is sent while one has an unknown outcome.
      if (sending.unknown === 0) startSender();
      const call = { startedAt: Date.now() };
      inFlight.add(call);
      await submit(db, env, provider, connection, order, sending).finally(() => inFlight.delete(call));
    } catch (error) {
      errors.push(error);
    } finally {
      pace.leave({ made, slot });
    }
  };
  const startSender = () => {
    if (senders.size >= provider.concurrentCalls) return;
    const sender = (async () => {
      while (maySend()) await sendNext();
    })().finally(() => senders.delete(sender));
    senders.add(sender);
  };
  const idle = async () => {
    while (senders.size > 0) await Promise.race(senders);
  };
  startSender();
  return {
    more(newUntil = endsAt) {
      if (isClosed) return;
      endsAt = newUntil;
      isEmpty = false;
      if (sending.unknown === 0 || senders.size === 0) startSender();
    },
    idle,
    async end() {
      while (senders.size > 0) await idle();
      isClosed = true;
      if (errors.length > 0) throw errors[0];
    },
  };
}

type Connection = Awaited<ReturnType<typeof connectionTo>>;

async function submit(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  connection: Connection,
  order: ClaimedOrder,
  sending: Sending,
): Promise<void> {
  const response = await postToProvider(connection, addParams(provider, order));
  const outcome = readAdd(response, readerOf(provider), contextOf(order));
  // An order whose outcome can't be stored is held when its lease ends.
  const providerOrderId = outcome.kind === "accepted" ? outcome.providerOrderId : null;
  await runLogged("order outcome not stored", { order: order.id, outcome: outcome.kind, providerOrderId }, () =>
    storeOutcome(db, env, provider, order, outcome, response),
  );
  await noteResponse(db, provider, response, outcome.kind === "unknown");
  noteOutcome(sending, order, outcome);
}

function noteOutcome(sending: Sending, { id, userId }: Order, outcome: AddOutcome): void {
  const now = Date.now();
  const isSuspect = sending.suspect?.userId === userId;
  if (outcome.kind !== "unknown") {
    sending.hasAccepted ||= outcome.kind === "accepted";
    sending.unknown = 0;
    if (isSuspect) sending.suspect = null;
    if (outcome.kind === "deferred" && isAboutAll(outcome.cause)) sending.from = now + BACK_OFF_MS;
    return;
  }
  sending.unknown++;
  const own = isSuspect && sending.suspect ? sending.suspect.unknown + 1 : 1;
  sending.suspect = { userId, orderId: id, unknown: own, from: now + backOff(own) };
  sending.from = now + (own < sending.unknown ? backOff(sending.unknown) : BACK_OFF_MS);
}

/** Returns whether a cause holds for every order. What is about a service or a link only makes its own order wait. */
function isAboutAll(cause: DeferralCause): boolean {
  return cause === "key" || cause === "funds" || cause === "busy";
}

/** Returns what an answer to an order has to be read with: errors quote its texts, and may be about an earlier attempt. */
function contextOf(order: ClaimedOrder): AddContext {
  const hadUnknownAttempt = order.resendUntil !== null && !isFirstWithKey(order);
  return { id: order.id, hadUnknownAttempt, inputs: ownTextsOf(order) };
}

/** Returns how long no order is sent after so many unknown outcomes in a row, in ms. */
function backOff(unknown: number): number {
  return Math.min(MAX_BACK_OFF_MS, BACK_OFF_MS * 2 ** Math.max(0, unknown - UNKNOWN_IN_A_ROW));
}

/** Returns the customer whose orders wait at the moment, or null. */
export function waitingUser({ suspect }: Sending): string | null {
  return suspect && suspect.from > Date.now() ? suspect.userId : null;
}

function addParams({ honorsIdempotencyKeys }: Provider, order: Order): Record<string, string> {
  const drip: Record<string, string> =
    // The runs of a subscription are its posts, which it names itself.
    order.intervalMinutes === null ? {} : { runs: String(order.runs), interval: String(order.intervalMinutes) };
  const providerFields = Object.fromEntries(
    Object.entries(order.providerFields).map(([name, value]) => [name, String(value)]),
  );
  return {
    action: "add",
    service: order.providerServiceId ?? "",
    link: order.link,
    quantity: String(order.quantity),
    ...drip,
    ...providerFields,
    // The time tells apart the orders of two databases, such as a restored one.
    ...(honorsIdempotencyKeys && { request_id: `growline-${order.id}-${order.createdAt}` }),
  };
}
