import type { LearnedDialect, Order } from "#app/db/schema.server.ts";
import type { ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { type AskedFor, readStates, type Unreadable } from "#app/orders/providers/reading/states-answer.ts";
import type { Report } from "#app/orders/providers/reading/status-report.ts";
import { MINUTE_MS } from "#app/time.ts";
import {
  type Asked,
  type Called,
  callAboutStates,
  entriesOf,
  inCurrencyOf,
  type SingleCall,
  type State,
  unread,
} from "./state-calls.server.ts";

export const MAX_IDS_PER_CALL = 100;
/** A refused call of 100 orders with one bad id takes 15 calls to tell the id apart. */
const MAX_CALLS = 20;
/** A round asks a provider that takes no lists about so many, one by one. */
export const MAX_SINGLE_CALLS = 80;
/** A provider that refuses a list is asked about so many of its ids alone, until it answers about two. */
const MAX_TRIED_ALONE = 4;
/** One by one, so many calls in a row that nobody answers are about all calls, and no longer about their ids. */
const MAX_FAILED_ALONE = 3;
/** Calls that fail for this long may fail because of one id in each. */
const DIVIDED_AFTER_MS = 10 * MINUTE_MS;

/**
 * What is left behind for the next round. `failingSince`: every call about states has failed since then (ms), or 0.
 * `singlesAfter`: the last refill that was asked about alone, if others are behind it.
 */
export type CallState = { hasFailed: boolean; failingSince: number; singlesAfter?: number };

export function newCallState(failingSince = 0): CallState {
  return { hasFailed: false, failingSince };
}

type Limits = { state?: CallState; callsLeft?: number; postpones?: boolean };

/** The calls about the states of orders. A charge without a currency is in that of our balance, which is named where it isn't ours. */
export function callsAboutOrders(
  link: ProviderLink,
  apply: Asked<Order, Report>["apply"],
  limits?: Limits,
): StateCalls<Order, Report> {
  const asked: Asked<Order, Report> = {
    call: "status",
    idOf: ({ providerOrderId }) => providerOrderId ?? "",
    orderIdOf: ({ id }) => id,
    wasUnreadable: ({ unreadableSince }) => unreadableSince !== 0,
    read: (...said) => inCurrencyOf(link.settings, readStates(...said)),
    apply,
  };
  return new StateCalls(link, asked, limits);
}

/** The calls of one round about the states of orders or refills, within their limits. */
export class StateCalls<Item, One extends State> {
  /** Outlives the round. */
  readonly state: CallState;
  callsLeft: number;
  /** Calls about one id, at a provider that takes no lists. */
  singlesLeft = MAX_SINGLE_CALLS;
  /** The provider answers no call at the moment. */
  isOver = false;
  /** The answer about a single item was too long to be read. */
  hadNoEnd = false;
  /** Items of refused calls whose status could not be read before. Null if they are asked for like others. */
  postponed: Item[] | null;
  readonly #link: ProviderLink;
  readonly #asked: Asked<Item, One>;
  /** A refused list was tried one by one in this round. */
  #hasTriedAlone = false;
  #hasAnswered = false;

  constructor(
    link: ProviderLink,
    asked: Asked<Item, One>,
    { state = newCallState(), callsLeft = MAX_CALLS, postpones = true }: Limits = {},
  ) {
    this.#link = link;
    this.#asked = asked;
    this.state = state;
    this.callsLeft = callsLeft;
    this.postponed = postpones ? [] : null;
  }

  /**
   * Asks about these items in one call, or one by one where the provider takes no lists. It may refuse a list because of one
   * id: then postpones what was unreadable before, and asks for each half of the others, until the id is found. So does a
   * response that is too long, and a failure where other calls are answered. An error about all calls, and no answer, end
   * the round otherwise; the first of several in a row is logged. Returns how many of the items were asked about, from the
   * first.
   */
  async ask(items: Item[]): Promise<number> {
    if (items.length === 0 || this.callsLeft <= 0 || !this.#link.takesCalls()) return 0;
    if (this.#link.dialect[this.#asked.call] === "one" || !this.#hasLists()) return this.#askOneByOne(items);
    const called = await this.#call(items, "many");
    const { answer } = called;
    if (called.hasFailed && !this.#mayBeAboutItems(called, items)) {
      await this.#endRound(called);
      return 0;
    }
    if (await this.#isNoList(items, called)) return this.#askOneByOne(items);
    if (answer?.kind === "entries") {
      // It takes lists, so one that it refuses in this round has an id that it doesn't know.
      this.#hasTriedAlone ||= items.length > 1;
      await this.#asked.apply(items, answer.entries);
      return items.length;
    }
    if (this.isOver) return 0;
    const [only] = items;
    if (items.length === 1 && only !== undefined) {
      this.hadNoEnd ||= called.isTooLong;
      await this.#asked.apply(items, new Map([[this.#asked.idOf(only), refused(called)]]));
      return 1;
    }
    await this.#divide(items);
    return items.length;
  }

  /** Asks for the postponed items with what is left of the calls. Asked for earlier, they could hold up all items behind them. */
  async askForPostponed(): Promise<void> {
    const postponed = this.postponed ?? [];
    this.postponed = null;
    for (let from = 0; from < postponed.length; from += MAX_IDS_PER_CALL) {
      if (this.#link.takesCalls()) await this.ask(postponed.slice(from, from + MAX_IDS_PER_CALL));
    }
  }

  /** Returns whether the provider's family has a parameter for several ids. */
  #hasLists(): boolean {
    return this.#link.reader.convention.calls[this.#asked.call].many !== undefined;
  }

  /** Returns whether a list that was answered, or refused, shows that the provider takes none. */
  async #isNoList(items: Item[], { answer, read, missing }: Called<One>): Promise<boolean> {
    if (read > 1) await this.#learnWay("many");
    // Some panels answer a list about its first id only.
    const isFirstOnly = read === 1 && items.length > 1 && missing === items.length - 1;
    const why = answer?.kind === "ask_single" ? answer.why : isFirstOnly ? "refused" : null;
    return why !== null && this.#takesNoLists(items, why);
  }

  async #divide(items: Item[]): Promise<void> {
    const { wasUnreadable } = this.#asked;
    this.callsLeft = Math.min(this.callsLeft, MAX_CALLS) - 1;
    if (this.postponed && items.some(wasUnreadable)) {
      this.postponed.push(...items.filter(wasUnreadable));
      await this.ask(items.filter((item) => !wasUnreadable(item)));
      return;
    }
    const half = Math.ceil(items.length / 2);
    const halves = [items.slice(0, half), items.slice(half)];
    // Always in the same order, the round could end at the same bad ids each time.
    if (Math.random() < 0.5) halves.reverse();
    for (const some of halves) await this.ask(some);
  }

  async #call(items: Item[], mode: AskedFor): Promise<Called<One>> {
    const called = await callAboutStates(this.#link, this.#asked, items, mode);
    if (!called.hasFailed) {
      this.#hasAnswered = true;
      this.state.hasFailed = false;
      this.state.failingSince = 0;
    }
    return called;
  }

  /**
   * Returns whether a call that failed may have done so because of one of its ids: other calls are answered, or all of them
   * have failed for long. Some panels break down at an order that they don't know, or deny access to one.
   */
  #mayBeAboutItems(called: Called<One>, items: Item[]): boolean {
    if (called.isTooMuch || called.response.httpStatus === null) return false;
    const { failingSince } = this.state;
    const failsForLong = failingSince !== 0 && Date.now() - failingSince > DIVIDED_AFTER_MS;
    return this.#hasAnswered || (failsForLong && items.length > 1 && called.answer?.kind === "no_answer");
  }

  /** Ends the round with a call that failed. */
  async #endRound({ response }: Called<One>): Promise<void> {
    this.callsLeft = 0;
    this.isOver = true;
    if (!this.state.hasFailed) await this.#link.logResponse(null, this.#asked.call, response);
    this.state.hasFailed = true;
    this.state.failingSince ||= Date.now();
  }

  /**
   * Asks about each item alone, several at a time. A call that fails between others that are answered is about its id;
   * several in a row, and one that wants fewer calls, end the round. Returns how many were asked about.
   */
  async #askOneByOne(items: Item[]): Promise<number> {
    let asked = 0;
    let isRead = false;
    let failed: SingleCall<Item, One>[] = [];
    while (asked < items.length && this.singlesLeft > 0 && !this.isOver && this.#link.takesCalls()) {
      const atOnce = Math.min(this.#link.settings.concurrentCalls, this.singlesLeft);
      const calls = await this.#callEach(items.slice(asked, asked + atOnce));
      asked += calls.length;
      const read = entriesOf(calls, failed, this.#asked.idOf);
      failed = read.failed;
      isRead ||= read.isRead;
      await this.#asked.apply(read.said, read.entries);
      const last = failed.findLast(({ called }) => called.isTooMuch) ?? failed[MAX_FAILED_ALONE - 1];
      if (last) await this.#endRound(last.called);
    }
    const [first] = failed;
    if (first && asked === items.length && !this.#hasAnswered) await this.#endRound(first.called);
    if (!isRead && asked > 0 && !this.isOver) await this.#tryList(items.slice(0, asked));
    return asked;
  }

  async #callEach(items: Item[]): Promise<SingleCall<Item, One>[]> {
    this.singlesLeft -= items.length;
    const calls = await Promise.all(items.map(async (item) => ({ item, called: await this.#call([item], "one") })));
    this.hadNoEnd ||= calls.some(({ called }) => called.isTooLong);
    return calls;
  }

  /** Asks once in a round for a list of items whose status can't be read alone: the provider may take only lists by now. */
  async #tryList(items: Item[]): Promise<void> {
    if (this.#hasTriedAlone || !this.#hasLists() || !this.#link.takesCalls()) return;
    this.#hasTriedAlone = true;
    const { answer, read } = await this.#call(items, "many");
    if (answer?.kind !== "entries" || read === 0) return;
    await this.#learnWay("many");
    await this.#asked.apply(items, answer.entries);
  }

  /**
   * Finds out whether a provider that refused a list takes none. It says so if it misses the parameter for one id. Otherwise
   * one of the ids may be the reason: asks about some of them alone, and about those that it knows as a list. A provider that
   * took lists is tried anew once statuses can't be read: it may have changed.
   */
  async #takesNoLists(items: Item[], why: "parameter" | "refused" | "bare" | "empty"): Promise<boolean> {
    if (why === "parameter") return this.#learnWay("one");
    const tookLists = this.#link.dialect[this.#asked.call] === "many";
    const wereUnread = items.length > 1 && items.every(this.#asked.wasUnreadable);
    if (this.#hasTriedAlone || (tookLists && why !== "empty" && !wereUnread)) return false;
    this.#hasTriedAlone = true;
    const known = await this.#findKnown(items);
    if (known.length === 0) return false;
    // To an answer about one of several, and to none, a list of one says nothing more.
    if (why === "refused" || known.length > 1) {
      const called = await this.#call(known, "many");
      if (called.isTooMuch) await this.#endRound(called);
      if (called.read === known.length) {
        // A list of one proves nothing.
        if (known.length > 1) await this.#learnWay("many");
        return false;
      }
    }
    return !this.isOver && this.#learnWay("one");
  }

  /** Returns up to two items that the provider answers about alone. */
  async #findKnown(items: Item[]): Promise<Item[]> {
    const { wasUnreadable } = this.#asked;
    const known: Item[] = [];
    let failed: Called<One> | undefined;
    const readableFirst = [...items].sort((one, other) => Number(wasUnreadable(one)) - Number(wasUnreadable(other)));
    let isAnswered = false;
    for (const item of readableFirst.slice(0, MAX_TRIED_ALONE)) {
      const called = await this.#call([item], "one");
      if (called.hasFailed) failed = called;
      else isAnswered = true;
      if (called.read > 0) known.push(item);
      if (known.length === 2) break;
      if (called.isTooMuch) {
        await this.#endRound(called);
        return [];
      }
    }
    if (failed && !isAnswered) await this.#endRound(failed);
    return known;
  }

  /** Stores whether the provider takes several ids in a call. Returns true. */
  async #learnWay(way: NonNullable<LearnedDialect["status"]>): Promise<true> {
    await this.#link.learn({ [this.#asked.call]: way });
    return true;
  }
}

/** Returns the entry for the only item of a call that was refused. */
function refused<One>({ response, answer }: Called<One>): Unreadable {
  const error = answer?.kind === "ask_single" ? answer.error : undefined;
  return { ...unread(response), ...(error !== undefined && { why: "error", error }) };
}
