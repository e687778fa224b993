import type { Db } from "#app/db/db.server.ts";
import type { LearnedDialect, Order } from "#app/db/schema.server.ts";
import { learn, readerOf, trialReaderOf } from "#app/orders/providers/dialect.server.ts";
import { isOurCurrency } from "#app/orders/providers/order-cost.ts";
import {
  callProvider,
  type FulfillmentEnv,
  logProviderResponse,
  noteResponse,
  type Provider,
  takesCalls,
} from "#app/orders/providers/provider-calls.server.ts";
import type { Reader } from "#app/orders/providers/reading/reader.ts";
import type { ProviderResponse } from "#app/orders/providers/reading/response.ts";
import {
  type AskedFor,
  type RefillReport,
  readStates,
  type StatesAnswer,
  type Unreadable,
} from "#app/orders/providers/reading/states-answer.ts";
import type { Report } from "#app/orders/providers/reading/status-report.ts";

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
const DIVIDED_AFTER_MS = 10 * 60_000;

/**
 * What is left behind for the next round. `failingSince`: every call about states has failed since then (ms), or 0.
 * `singlesAfter`: the last refill that was asked about alone, if others are behind it.
 */
export type CallState = { hasFailed: boolean; failingSince: number; singlesAfter?: number };

export function newCallState(failingSince = 0): CallState {
  return { hasFailed: false, failingSince };
}

/**
 * The calls that a round may still make. `isOver`: the provider answers none at the moment. `hadNoEnd`: the answer about a
 * single order was too long to be read. `postponed`: orders of refused calls whose status could not be read before, null
 * once they are asked for. `singlesLeft`: calls about one id at a provider that takes no lists. `hasTriedAlone`: a refused
 * list was tried one by one in this round. `hasAnswered`: a call of this round was answered. `state` outlives the round.
 */
export type Budget<Item> = {
  callsLeft: number;
  singlesLeft: number;
  isOver: boolean;
  hadNoEnd: boolean;
  hasTriedAlone: boolean;
  hasAnswered: boolean;
  postponed: Item[] | null;
  state: CallState;
};

export function newBudget<Item = Order>(state = newCallState()): Budget<Item> {
  return {
    callsLeft: MAX_CALLS,
    singlesLeft: MAX_SINGLE_CALLS,
    isOver: false,
    hadNoEnd: false,
    hasTriedAlone: false,
    hasAnswered: false,
    postponed: [],
    state,
  };
}

type State = Report | RefillReport;
type StateCall = "status" | "refill_status";
type Entries<One> = Map<string, One | Unreadable>;

/** How a provider is asked about states: of orders, or of refills. */
export type Asking<Item, One> = {
  db: Db;
  env: FulfillmentEnv;
  provider: Provider;
  call: StateCall;
  /** The provider's id of an item. */
  idOf: (item: Item) => string;
  orderIdOf: (item: Item) => number;
  wasUnreadable: (item: Item) => boolean;
  read: (response: ProviderResponse, reader: Reader, ids: readonly string[], mode: AskedFor) => StatesAnswer<One>;
  /** Stores what the answer says of these items, under their ids at the provider. */
  apply: (some: Item[], entries: Entries<One>) => Promise<void>;
};

export type ApplyReports = Asking<Order, Report>["apply"];

/** Asks about orders. A charge without a currency is in that of our balance, which is named where it isn't ours. */
export function askingForStatuses(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  apply: ApplyReports,
): Asking<Order, Report> {
  return {
    db,
    env,
    provider,
    call: "status",
    idOf: ({ providerOrderId }) => providerOrderId ?? "",
    orderIdOf: ({ id }) => id,
    wasUnreadable: ({ unreadableSince }) => unreadableSince !== 0,
    read: (response, reader, ids, mode) => inCurrencyOf(provider, readStates(response, reader, ids, mode)),
    apply,
  };
}

/** Names the currency of our balance in reports that name none, where it isn't ours. */
export function inCurrencyOf({ balanceCurrency }: Provider, answer: StatesAnswer<Report>): StatesAnswer<Report> {
  if (answer.kind !== "entries" || isOurCurrency(balanceCurrency ?? "")) return answer;
  for (const entry of answer.entries.values()) {
    if (entry.kind === "report" && entry.currency === "") entry.currency = balanceCurrency ?? "";
  }
  return answer;
}

/**
 * Asks about these items in one call, or one by one where the provider takes no lists. It may refuse a list because of one
 * id: then postpones what was unreadable before, and asks for each half of the others, until the id is found. So does a
 * response that is too long, and a failure where other calls are answered. An error about all calls, and no answer, use up
 * the budget otherwise; the first of several in a row is logged. Returns how many of the items were asked about, from the
 * first.
 */
export async function askAbout<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  budget: Budget<Item>,
): Promise<number> {
  if (items.length === 0 || budget.callsLeft <= 0 || !takesCalls(asking.provider)) return 0;
  const { provider, call } = asking;
  if (provider.dialect[call] === "one" || !hasLists(asking)) return askOneByOne(asking, items, budget);
  const called = await makeCall(asking, items, "many", budget);
  const { response, answer, isTooLong } = called;
  if (isFailure(called) && !mayBeAboutItems(called, items, budget)) {
    await endRound(asking, called, budget);
    return 0;
  }
  if (answer?.kind === "entries") {
    const read = readIn(answer);
    if (read > 1) await learnWay(asking, "many");
    // Some panels answer a list about its first id only.
    const isFirstOnly = read === 1 && items.length > 1 && missingIn(answer) === items.length - 1;
    if (isFirstOnly && (await takesNoLists(asking, items, "refused", budget)))
      return askOneByOne(asking, items, budget);
    // It takes lists, so one that it refuses in this round has an id that it doesn't know.
    budget.hasTriedAlone ||= items.length > 1;
    await asking.apply(items, answer.entries);
    return items.length;
  }
  const why = answer?.kind === "ask_single" ? answer.why : null;
  if (why !== null && (await takesNoLists(asking, items, why, budget))) return askOneByOne(asking, items, budget);
  if (budget.isOver) return 0;
  const [only] = items;
  if (items.length === 1 && only !== undefined) {
    budget.hadNoEnd ||= isTooLong;
    const error = answer?.kind === "ask_single" && answer.error !== undefined ? { error: answer.error } : {};
    const why = "error" in error ? "error" : "shape";
    await asking.apply(items, new Map([[asking.idOf(only), { ...unread(response), why, ...error }]]));
    return 1;
  }
  await divide(asking, items, budget);
  return items.length;
}

/** Returns whether the provider's family has a parameter for several ids. */
function hasLists({ provider, call }: Pick<Asking<never, never>, "provider" | "call">): boolean {
  return readerOf(provider).convention.calls[call].many !== undefined;
}

/** Returns the entry for an item whose answer couldn't be read. */
function unread(response: ProviderResponse): Unreadable {
  return { kind: "unreadable", why: "shape", entry: response.kind === "json" ? response.body : undefined };
}

async function divide<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  budget: Budget<Item>,
): Promise<void> {
  budget.callsLeft = Math.min(budget.callsLeft, MAX_CALLS) - 1;
  if (budget.postponed && items.some(asking.wasUnreadable)) {
    budget.postponed.push(...items.filter(asking.wasUnreadable));
    const others = items.filter((item) => !asking.wasUnreadable(item));
    await askAbout(asking, others, budget);
    return;
  }
  const half = Math.ceil(items.length / 2);
  const halves = [items.slice(0, half), items.slice(half)];
  // Always in the same order, the budget could end at the same bad ids in every round.
  if (Math.random() < 0.5) halves.reverse();
  for (const some of halves) await askAbout(asking, some, budget);
}

type Called<One> = { response: ProviderResponse; answer: StatesAnswer<One> | null; isTooLong: boolean };

/** Makes one call. `answer` is null if the response was too long to be read. */
async function makeCall<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  mode: AskedFor,
  budget: Budget<Item>,
): Promise<Called<One>> {
  const { db, env, provider, call, idOf } = asking;
  const reader = readerOf(provider);
  const ids = items.map(idOf);
  const parameter = reader.convention.calls[call][mode] ?? "";
  const response = await callProvider(env, provider, { action: call, [parameter]: ids.join(",") });
  const isTooLong = response.kind === "no_response" && response.isTooLong === true && response.httpStatus === 200;
  const answer = isTooLong ? null : withTrials(asking, items, asking.read(response, reader, ids, mode));
  await noteResponse(db, provider, response, response.kind !== "json" && !isTooLong && answer?.kind !== "ask_single");
  if (response.kind === "json" && response.httpStatus >= 400) await learn(db, provider, { refusesWith4xx: true });
  const called = { response, answer, isTooLong };
  if (!isFailure(called)) {
    budget.hasAnswered = true;
    budget.state.hasFailed = false;
    budget.state.failingSince = 0;
  }
  return called;
}

/** Returns whether nobody answered, or with what is about every call. */
function isFailure<One>({ answer }: Called<One>): boolean {
  return answer?.kind === "no_answer" || answer?.kind === "about_all";
}

/** Returns whether the provider wants fewer calls. */
function isTooMuch<One>({ response, answer }: Called<One>): boolean {
  return response.httpStatus === 429 || (answer?.kind === "about_all" && answer.cause === "busy");
}

/**
 * Returns whether a call that failed may have done so because of one of its ids: other calls are answered, or all of them
 * have failed for long. Some panels break down at an order that they don't know, or deny access to one.
 */
function mayBeAboutItems<Item, One>(called: Called<One>, items: Item[], { hasAnswered, state }: Budget<Item>): boolean {
  if (isTooMuch(called) || called.response.httpStatus === null) return false;
  const failsForLong = state.failingSince !== 0 && Date.now() - state.failingSince > DIVIDED_AFTER_MS;
  return hasAnswered || (failsForLong && items.length > 1 && called.answer?.kind === "no_answer");
}

/** Ends a round with a call that failed. */
async function endRound<Item, One extends State>(
  { db, provider, call }: Asking<Item, One>,
  { response }: Called<One>,
  budget: Budget<Item>,
): Promise<void> {
  budget.callsLeft = 0;
  budget.isOver = true;
  if (!budget.state.hasFailed) await logProviderResponse(db, provider, null, call, response);
  budget.state.hasFailed = true;
  budget.state.failingSince ||= Date.now();
}

/** Reads anew what is said of an order that a taught word is tried on. */
function withTrials<Item, One extends State>(
  { provider, orderIdOf, idOf, read }: Asking<Item, One>,
  items: Item[],
  answer: StatesAnswer<One>,
): StatesAnswer<One> {
  if (answer.kind !== "entries" || !provider.taught?.some(({ onlyOrderId }) => onlyOrderId !== null)) return answer;
  for (const item of items) {
    const id = idOf(item);
    const reader = trialReaderOf(provider, orderIdOf(item));
    const entry = answer.entries.get(id);
    if (!reader || entry?.kind !== "unreadable" || entry.word === undefined) continue;
    const said: ProviderResponse = { kind: "json", body: { [id]: entry.entry }, raw: "", httpStatus: 200 };
    const tried = read(said, reader, [id], "many");
    const found = tried.kind === "entries" ? tried.entries.get(id) : undefined;
    if (found) answer.entries.set(id, found);
  }
  return answer;
}

/**
 * Asks about each item alone, several at a time. A call that fails between others that are answered is about its id;
 * several in a row, and one that wants fewer calls, end the round. Returns how many were asked about.
 */
async function askOneByOne<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  budget: Budget<Item>,
): Promise<number> {
  const { provider, idOf } = asking;
  let asked = 0;
  let isRead = false;
  const failed: { item: Item; called: Called<One> }[] = [];
  while (asked < items.length && budget.singlesLeft > 0 && !budget.isOver && takesCalls(provider)) {
    const some = items.slice(asked, asked + Math.min(provider.concurrentCalls, budget.singlesLeft));
    budget.singlesLeft -= some.length;
    const answers = await Promise.all(
      some.map(async (item) => ({ item, called: await makeCall(asking, [item], "one", budget) })),
    );
    asked += some.length;
    const said: Item[] = [];
    const entries: Entries<One> = new Map();
    const say = (item: Item, entry: One | Unreadable) => {
      said.push(item);
      entries.set(idOf(item), entry);
    };
    for (const one of answers) {
      const { item, called } = one;
      if (isFailure(called)) {
        failed.push(one);
        continue;
      }
      for (const before of failed.splice(0)) say(before.item, unread(before.called.response));
      isRead ||= readIn(called.answer) > 0;
      const entry = called.answer?.kind === "entries" ? called.answer.entries.get(idOf(item)) : undefined;
      say(item, entry ?? unread(called.response));
    }
    budget.hadNoEnd ||= answers.some(({ called }) => called.isTooLong);
    await asking.apply(said, entries);
    const last = failed.findLast(({ called }) => isTooMuch(called)) ?? failed[MAX_FAILED_ALONE - 1];
    if (last) await endRound(asking, last.called, budget);
  }
  const [first] = failed;
  if (first && asked === items.length && !budget.hasAnswered) await endRound(asking, first.called, budget);
  if (!isRead && asked > 0 && !budget.isOver) await tryList(asking, items.slice(0, asked), budget);
  return asked;
}

/** Asks once in a round for a list of items whose status can't be read alone: the provider may take only lists by now. */
async function tryList<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  budget: Budget<Item>,
): Promise<void> {
  if (budget.hasTriedAlone || !hasLists(asking) || !takesCalls(asking.provider)) return;
  budget.hasTriedAlone = true;
  const { answer } = await makeCall(asking, items, "many", budget);
  if (answer?.kind !== "entries" || readIn(answer) === 0) return;
  await learnWay(asking, "many");
  await asking.apply(items, answer.entries);
}

/**
 * Finds out whether a provider that refused a list takes none. It says so if it misses the parameter for one id. Otherwise
 * one of the ids may be the reason: asks about some of them alone, and about those that it knows as a list. A provider that
 * took lists is tried anew once statuses can't be read: it may have changed.
 */
async function takesNoLists<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  why: "parameter" | "refused" | "bare" | "empty",
  budget: Budget<Item>,
): Promise<boolean> {
  if (why === "parameter") return learnWay(asking, "one");
  const tookLists = asking.provider.dialect[asking.call] === "many";
  if (budget.hasTriedAlone || (tookLists && why !== "empty" && !wereUnread(asking, items))) return false;
  budget.hasTriedAlone = true;
  const known = await findKnown(asking, items, budget);
  if (known.length === 0) return false;
  // To an answer about one of several, and to none, a list of one says nothing more.
  if (why === "refused" || known.length > 1) {
    const called = await makeCall(asking, known, "many", budget);
    if (isTooMuch(called)) await endRound(asking, called, budget);
    if (readIn(called.answer) === known.length) {
      // A list of one proves nothing.
      if (known.length > 1) await learnWay(asking, "many");
      return false;
    }
  }
  return !budget.isOver && learnWay(asking, "one");
}

/** Returns whether several were asked for, and none of them could be read before. */
function wereUnread<Item, One>({ wasUnreadable }: Asking<Item, One>, items: Item[]): boolean {
  return items.length > 1 && items.every(wasUnreadable);
}

/** Returns up to two items that the provider answers about alone. */
async function findKnown<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  budget: Budget<Item>,
): Promise<Item[]> {
  const known: Item[] = [];
  let failed: Called<One> | undefined;
  const readableFirst = [...items].sort(
    (one, other) => Number(asking.wasUnreadable(one)) - Number(asking.wasUnreadable(other)),
  );
  let isAnswered = false;
  for (const item of readableFirst.slice(0, MAX_TRIED_ALONE)) {
    const called = await makeCall(asking, [item], "one", budget);
    if (isFailure(called)) failed = called;
    else isAnswered = true;
    if (readIn(called.answer) > 0) known.push(item);
    if (known.length === 2) break;
    if (isTooMuch(called)) {
      await endRound(asking, called, budget);
      return [];
    }
  }
  if (failed && !isAnswered) await endRound(asking, failed, budget);
  return known;
}

/** Returns of how many ids an answer tells a state. */
function readIn<One extends State>(answer: StatesAnswer<One> | null): number {
  if (answer?.kind !== "entries") return 0;
  return [...answer.entries.values()].filter((entry) => entry.kind !== "unreadable").length;
}

function missingIn<One extends State>({ entries }: StatesAnswer<One> & { kind: "entries" }): number {
  return [...entries.values()].filter((entry) => entry.kind === "unreadable" && entry.why === "missing").length;
}

/** Stores whether the provider takes several ids in a call. Returns true. */
async function learnWay<Item, One>(
  { db, provider, call }: Asking<Item, One>,
  way: NonNullable<LearnedDialect[StateCall]>,
): Promise<true> {
  await learn(db, provider, { [call]: way });
  return true;
}

/** Asks for the postponed items with what is left of the budget. Asked for earlier, they could hold up all items behind them. */
export async function askForPostponed<Item, One extends State>(
  asking: Asking<Item, One>,
  budget: Budget<Item>,
): Promise<void> {
  const postponed = budget.postponed ?? [];
  budget.postponed = null;
  for (let from = 0; from < postponed.length; from += MAX_IDS_PER_CALL) {
    const some = postponed.slice(from, from + MAX_IDS_PER_CALL);
    if (takesCalls(asking.provider)) await askAbout(asking, some, budget);
  }
}
