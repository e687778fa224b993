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
/** A provider that refuses a list is asked about so many of its ids alone, until it answers about one. */
const MAX_TRIED_ALONE = 3;

/** What failed calls leave behind for the next round. `failingSince`: every call about states has failed since then (ms), or 0. */
export type CallState = { hasFailed: boolean; failingSince: number };

export function newCallState(failingSince = 0): CallState {
  return { hasFailed: false, failingSince };
}

/**
 * The calls that a round may still make. `isOver`: the provider answers none at the moment. `hadNoEnd`: the answer about a
 * single order was too long to be read. `postponed`: orders of refused calls whose status could not be read before, null
 * once they are asked for. `singlesLeft`: calls about one id at a provider that takes no lists. `hasTriedAlone`: a refused
 * list was tried one by one in this round. `state` outlives the round.
 */
export type Budget<Item> = {
  callsLeft: number;
  singlesLeft: number;
  isOver: boolean;
  hadNoEnd: boolean;
  hasTriedAlone: boolean;
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
 * response that is too long. An error about all calls, and no answer, use up the budget; the first of several in a row is
 * logged. Returns how many of the items were asked about, from the first.
 */
export async function askAbout<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  budget: Budget<Item>,
): Promise<number> {
  if (items.length === 0 || budget.callsLeft <= 0) return 0;
  const { provider, call } = asking;
  const takesLists = readerOf(provider).convention.calls[call].many !== undefined;
  if (provider.dialect[call] === "one" || !takesLists) return askOneByOne(asking, items, budget);
  const { response, answer, isTooLong } = await makeCall(asking, items, "many", budget);
  if (budget.isOver) return 0;
  if (answer?.kind === "entries") {
    const isRead = [...answer.entries.values()].some((entry) => entry.kind !== "unreadable");
    if (isRead && items.length > 1) await learnWay(asking, "many");
    await asking.apply(items, answer.entries);
    return items.length;
  }
  const why = answer?.kind === "ask_single" ? answer.why : null;
  if (why !== null && (await takesNoLists(asking, items, why, budget))) return askOneByOne(asking, items, budget);
  const [only] = items;
  if (items.length === 1 && only !== undefined) {
    budget.hadNoEnd ||= isTooLong;
    const error = answer?.kind === "ask_single" && answer.error !== undefined ? { error: answer.error } : {};
    const entry = response.kind === "json" ? response.body : undefined;
    const unreadable: Unreadable = { kind: "unreadable", why: "error" in error ? "error" : "shape", entry, ...error };
    await asking.apply(items, new Map([[asking.idOf(only), unreadable]]));
    return 1;
  }
  await divide(asking, items, budget);
  return items.length;
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
  if (answer?.kind === "no_answer" || answer?.kind === "about_all") {
    budget.callsLeft = 0;
    budget.isOver = true;
    if (!budget.state.hasFailed) await logProviderResponse(db, provider, null, call, response);
    budget.state.hasFailed = true;
    budget.state.failingSince ||= Date.now();
  } else {
    budget.state.hasFailed = false;
    budget.state.failingSince = 0;
  }
  return { response, answer, isTooLong };
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

/** Asks about each item alone, several at a time. Returns how many were asked about. */
async function askOneByOne<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  budget: Budget<Item>,
): Promise<number> {
  const { provider } = asking;
  let asked = 0;
  while (asked < items.length && budget.singlesLeft > 0 && !budget.isOver && takesCalls(provider)) {
    const some = items.slice(asked, asked + Math.min(provider.concurrentCalls, budget.singlesLeft));
    budget.singlesLeft -= some.length;
    const answers = await Promise.all(some.map(async (item) => makeCall(asking, [item], "one", budget)));
    const entries: Entries<One> = new Map();
    for (const { answer } of answers) {
      if (answer?.kind === "entries") for (const [id, entry] of answer.entries) entries.set(id, entry);
    }
    budget.hadNoEnd ||= answers.some(({ isTooLong }) => isTooLong);
    await asking.apply(
      some.filter((item) => entries.has(asking.idOf(item))),
      entries,
    );
    asked += some.length;
  }
  return budget.isOver ? 0 : asked;
}

/**
 * Finds out whether a provider that refused a list takes none. It says so if it misses the parameter for one id. Otherwise
 * one of the ids may be the reason: asks about some of them alone, and about the one that it knows as a list of one.
 */
async function takesNoLists<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  why: "parameter" | "refused" | "bare" | "empty",
  budget: Budget<Item>,
): Promise<boolean> {
  if (why === "parameter") return learnWay(asking, "one");
  if (asking.provider.dialect[asking.call] === "many" || budget.hasTriedAlone) return false;
  budget.hasTriedAlone = true;
  const known = await findKnown(asking, items, budget);
  if (known === undefined) return false;
  // To an answer about one of several, and to none, a list of one says nothing more.
  if (why === "refused") {
    const { answer } = await makeCall(asking, [known], "many", budget);
    if (isReadIn(answer)) return !(await learnWay(asking, "many"));
  }
  return !budget.isOver && learnWay(asking, "one");
}

async function findKnown<Item, One extends State>(
  asking: Asking<Item, One>,
  items: Item[],
  budget: Budget<Item>,
): Promise<Item | undefined> {
  for (const item of items.filter((one) => !asking.wasUnreadable(one)).slice(0, MAX_TRIED_ALONE)) {
    const { answer } = await makeCall(asking, [item], "one", budget);
    if (isReadIn(answer)) return item;
    if (budget.isOver) return undefined;
  }
  return undefined;
}

function isReadIn<One extends State>(answer: StatesAnswer<One> | null): boolean {
  return answer?.kind === "entries" && [...answer.entries.values()].some((entry) => entry.kind !== "unreadable");
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
