import type { Order } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import type { DeferralCause } from "#app/orders/providers/conventions/error-meanings.ts";
import type { ProviderLink, ProviderSettings } from "#app/orders/providers/provider-link.server.ts";
import { type AddContext, type AddOutcome, readAdd } from "#app/orders/providers/reading/add-answer.ts";
import { ownTextsOf } from "#app/orders/providers/reading/own-texts.ts";
import { MINUTE_MS } from "#app/time.ts";
import { type ClaimedOrder, claimToSend, isFirstWithKey } from "./submission-claims.server.ts";
import { storeOutcome } from "./submission-outcomes.server.ts";

/** No order is sent for this long after one that the provider did not take. */
const BACK_OFF_MS = 10_000;
/** Each unknown outcome holds an order. After this many in a row, the back-off doubles, up to ten minutes. */
export const UNKNOWN_IN_A_ROW = 5;
const MAX_BACK_OFF_MS = 10 * MINUTE_MS;

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
export async function submitQueued(link: ProviderLink, sending: Sending): Promise<void> {
  await new Submission(link, sending, Number.POSITIVE_INFINITY).end();
}

/**
 * Submits the queued orders of a provider that are due, at its pace. Claims each order right before its call, so that it is
 * sent at most once and few are cut off if this is killed. No call waits for another one's outcome. Sending goes on past
 * `until` (ms since 1970) while something else is waited for: a call that started before, or what was passed to `goOnWhile`.
 */
export class Submission {
  readonly #link: ProviderLink;
  readonly #sending: Sending;
  readonly #senders = new Set<Promise<void>>();
  readonly #others = new Set<Promise<unknown>>();
  readonly #callsStartedAt = new Map<ClaimedOrder, number>();
  readonly #errors: unknown[] = [];
  #until: number;
  #isEmpty = false;
  #isClosed = false;
  #hasClaimed = false;

  constructor(link: ProviderLink, sending: Sending, until: number) {
    this.#link = link;
    this.#sending = sending;
    this.#until = until;
    this.#startSender();
  }

  /** Sends what was queued meanwhile, until the time `until`. */
  more(until = this.#until): void {
    if (this.#isClosed) return;
    this.#until = until;
    this.#isEmpty = false;
    if (this.#sending.unknown === 0 || this.#senders.size === 0) this.#startSender();
  }

  /** Sending goes on, and doesn't end, while the work runs. */
  async goOnWhile<Result>(work: Promise<Result>): Promise<Result> {
    this.#others.add(work);
    return work.finally(() => this.#others.delete(work));
  }

  /** Resolves once no call is in flight. */
  async idle(): Promise<void> {
    while (this.#senders.size > 0) await Promise.race(this.#senders);
  }

  /** Ends the submission once no call is in flight. Throws the first error. */
  async end(): Promise<void> {
    while (this.#senders.size > 0 || this.#others.size > 0) await Promise.race([...this.#senders, ...this.#others]);
    this.#isClosed = true;
    if (this.#errors.length > 0) throw this.#errors[0];
  }

  #startSender(): void {
    if (this.#senders.size >= this.#link.settings.concurrentCalls) return;
    const sender = this.#sendWhilePossible().finally(() => this.#senders.delete(sender));
    this.#senders.add(sender);
  }

  async #sendWhilePossible(): Promise<void> {
    while (this.#maySend()) await this.#sendNext();
  }

  #maySend(): boolean {
    const mayClaim = !this.#isEmpty && this.#errors.length === 0;
    return mayClaim && this.#isInTime() && Date.now() >= this.#sending.from && this.#link.takesOrders();
  }

  #isInTime(): boolean {
    const isWaitedFor = this.#others.size > 0 || [...this.#callsStartedAt.values()].some((at) => at < this.#until);
    return Date.now() < this.#until || isWaitedFor;
  }

  /** Claims and sends one order when the pace allows it. */
  #sendNext(): Promise<void> {
    return this.#link.pace.inSlot(async (start) => {
      try {
        const order = this.#maySend() ? await this.#claim() : null;
        if (order === null) return;
        start();
        // An outage would hold every order that is sent while one has an unknown outcome.
        if (this.#sending.unknown === 0) this.#startSender();
        this.#callsStartedAt.set(order, Date.now());
        await submit(this.#link, order, this.#sending).finally(() => this.#callsStartedAt.delete(order));
      } catch (error) {
        this.#errors.push(error);
      }
    });
  }

  async #claim(): Promise<ClaimedOrder | null> {
    const order = await claimToSend(this.#link, waitingUser(this.#sending), { isFirst: !this.#hasClaimed });
    this.#hasClaimed = true;
    this.#isEmpty ||= order === null;
    return order;
  }
}

async function submit(link: ProviderLink, order: ClaimedOrder, sending: Sending): Promise<void> {
  const response = await link.post(addParams(link.settings, order));
  const outcome = readAdd(response, link.reader, contextOf(order));
  // An order whose outcome can't be stored is held when its lease ends.
  const providerOrderId = outcome.kind === "accepted" ? outcome.providerOrderId : null;
  await runLogged("order outcome not stored", { order: order.id, outcome: outcome.kind, providerOrderId }, () =>
    storeOutcome(link, order, outcome, response),
  );
  await link.noteResponse(response, outcome.kind === "unknown");
  noteOutcome(sending, order, outcome, Date.now());
}

/** Returns what an answer to an order has to be read with: errors quote its texts, and may be about an earlier attempt. */
function contextOf(order: ClaimedOrder): AddContext {
  const hadUnknownAttempt = order.resendUntil !== null && !isFirstWithKey(order);
  return { id: order.id, hadUnknownAttempt, inputs: ownTextsOf(order) };
}

function addParams(
  { honorsIdempotencyKeys }: ProviderSettings,
  order: Order,
): Record<string, string> & { action: "add" } {
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

/** Notes what a provider made of an order. */
export function noteOutcome(
  sending: Sending,
  { id, userId }: Pick<Order, "id" | "userId">,
  outcome: AddOutcome,
  now: number,
): void {
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

/** Returns how long no order is sent after so many unknown outcomes in a row, in ms. */
function backOff(unknown: number): number {
  return Math.min(MAX_BACK_OFF_MS, BACK_OFF_MS * 2 ** Math.max(0, unknown - UNKNOWN_IN_A_ROW));
}

/** Returns the customer whose orders wait at the moment, or null. */
export function waitingUser({ suspect }: Sending): string | null {
  return suspect && suspect.from > Date.now() ? suspect.userId : null;
}
