import { cutText } from "#app/cut-text.ts";
import { providerLog } from "#app/db/schema.server.ts";
import { noteUnread, trialReaderOf, unreadOf } from "#app/orders/providers/dialect.server.ts";
import { isOurCurrency } from "#app/orders/providers/order-cost.ts";
import {
  MAX_LOGGED_CHARACTERS,
  type ProviderLink,
  type ProviderSettings,
} from "#app/orders/providers/provider-link.server.ts";
import type { Reader } from "#app/orders/providers/reading/reader.ts";
import type { ProviderResponse } from "#app/orders/providers/reading/response.ts";
import type { AskedFor, RefillReport, StatesAnswer, Unreadable } from "#app/orders/providers/reading/states-answer.ts";
import type { Report } from "#app/orders/providers/reading/status-report.ts";

export type State = Report | RefillReport;
export type StateCall = "status" | "refill_status";
export type Entries<One> = Map<string, One | Unreadable>;

/** What calls ask about: orders or refills. */
export type Asked<Item, One> = {
  call: StateCall;
  /** The provider's id of an item. */
  idOf: (item: Item) => string;
  orderIdOf: (item: Item) => number;
  wasUnreadable: (item: Item) => boolean;
  read: (response: ProviderResponse, reader: Reader, ids: readonly string[], mode: AskedFor) => StatesAnswer<One>;
  /** Stores what the answer says of these items, under their ids at the provider. */
  apply: (some: Item[], entries: Entries<One>) => Promise<void>;
};

/** A call about states and what its answer shows. */
export type Called<One> = {
  response: ProviderResponse;
  /** Null if the response was too long to be read. */
  answer: StatesAnswer<One> | null;
  isTooLong: boolean;
  /** Nobody answered, or with what is about every call. */
  hasFailed: boolean;
  /** The provider wants fewer calls. */
  isTooMuch: boolean;
  /** Of how many ids the answer tells a state, and how many it leaves out. */
  read: number;
  missing: number;
};
/** A call about one item. */
export type SingleCall<Item, One> = { item: Item; called: Called<One> };

/** Makes one call about these items, and counts it. */
export async function callAboutStates<Item, One extends State>(
  link: ProviderLink,
  asked: Asked<Item, One>,
  items: Item[],
  mode: AskedFor,
): Promise<Called<One>> {
  const ids = items.map(asked.idOf);
  const parameter = link.reader.convention.calls[asked.call][mode] ?? "";
  const { answer } = await link.ask(
    { action: asked.call, [parameter]: ids.join(",") },
    (response, reader) => {
      if (isTooLong(response)) return judged<One>(response, null);
      return judged(response, withTrials(link.settings, asked, items, asked.read(response, reader, ids, mode)));
    },
    (response, called) => response.kind !== "json" && !called.isTooLong && called.answer?.kind !== "ask_single",
  );
  return answer;
}

/** Returns what an answer about states shows. */
export function judged<One extends State>(response: ProviderResponse, answer: StatesAnswer<One> | null): Called<One> {
  const entries = answer?.kind === "entries" ? [...answer.entries.values()] : [];
  const isAboutAll = answer?.kind === "about_all";
  return {
    response,
    answer,
    isTooLong: isTooLong(response),
    hasFailed: isAboutAll || answer?.kind === "no_answer",
    isTooMuch: response.httpStatus === 429 || (isAboutAll && answer.cause === "busy"),
    read: entries.filter((entry) => entry.kind !== "unreadable").length,
    missing: entries.filter((entry) => entry.kind === "unreadable" && entry.why === "missing").length,
  };
}

function isTooLong(response: ProviderResponse): boolean {
  return response.kind === "no_response" && response.isTooLong === true && response.httpStatus === 200;
}

/** Returns the entry for an item whose answer couldn't be read. */
export function unread(response: ProviderResponse): Unreadable {
  return { kind: "unreadable", why: "shape", entry: response.kind === "json" ? response.body : undefined };
}

/**
 * Returns what calls about one item each say, in their order. Whether a call failed because of its item shows the next one
 * that is answered: then all items before it are unreadable. `failed`: earlier calls and those of now about which that isn't
 * known yet. `isRead`: one of them told a state.
 */
export function entriesOf<Item, One extends State>(
  calls: SingleCall<Item, One>[],
  failedBefore: SingleCall<Item, One>[],
  idOf: (item: Item) => string,
): { said: Item[]; entries: Entries<One>; failed: SingleCall<Item, One>[]; isRead: boolean } {
  const said: Item[] = [];
  const entries: Entries<One> = new Map();
  let failed = failedBefore;
  let isRead = false;
  const say = (item: Item, entry: One | Unreadable) => {
    said.push(item);
    entries.set(idOf(item), entry);
  };
  for (const call of calls) {
    const { item, called } = call;
    if (called.hasFailed) {
      failed = [...failed, call];
      continue;
    }
    for (const before of failed) say(before.item, unread(before.called.response));
    failed = [];
    isRead ||= called.read > 0;
    const entry = called.answer?.kind === "entries" ? called.answer.entries.get(idOf(item)) : undefined;
    say(item, entry ?? unread(called.response));
  }
  return { said, entries, failed, isRead };
}

/** Returns the statements that keep what was said of an item whose state couldn't be read. `inputs`: the order's own texts. */
export function keepUnreadable(
  { db, id: providerId }: ProviderLink,
  action: StateCall,
  { orderId, said, inputs = [] }: { orderId: number; said: State | Unreadable; inputs?: readonly string[] },
) {
  const isRead = said.kind !== "unreadable";
  const response = cutText(JSON.stringify(isRead ? said : said.entry) ?? "missing", MAX_LOGGED_CHARACTERS);
  const kind = action === "status" ? "state" : "refill_state";
  return [
    db.insert(providerLog).values({ providerId, orderId, action, response, createdAt: Date.now() }),
    ...(isRead ? [] : [noteUnread(db, providerId, unreadOf(said, kind, orderId, inputs))]),
  ];
}

/** Names the currency of our balance in reports that name none, where it isn't ours. */
export function inCurrencyOf(
  { balanceCurrency }: Pick<ProviderSettings, "balanceCurrency">,
  answer: StatesAnswer<Report>,
): StatesAnswer<Report> {
  if (answer.kind !== "entries" || isOurCurrency(balanceCurrency ?? "")) return answer;
  for (const entry of answer.entries.values()) {
    if (entry.kind === "report" && entry.currency === "") entry.currency = balanceCurrency ?? "";
  }
  return answer;
}

/** Reads anew what is said of an order that a taught word is tried on. */
function withTrials<Item, One extends State>(
  settings: ProviderSettings,
  { orderIdOf, idOf, read }: Pick<Asked<Item, One>, "orderIdOf" | "idOf" | "read">,
  items: Item[],
  answer: StatesAnswer<One>,
): StatesAnswer<One> {
  if (answer.kind !== "entries" || !settings.taught?.some(({ onlyOrderId }) => onlyOrderId !== null)) return answer;
  for (const item of items) {
    const id = idOf(item);
    const reader = trialReaderOf(settings, orderIdOf(item));
    const entry = answer.entries.get(id);
    if (!reader || entry?.kind !== "unreadable" || entry.word === undefined) continue;
    const said: ProviderResponse = { kind: "json", body: { [id]: entry.entry }, raw: "", httpStatus: 200 };
    const tried = read(said, reader, [id], "many");
    const found = tried.kind === "entries" ? tried.entries.get(id) : undefined;
    if (found) answer.entries.set(id, found);
  }
  return answer;
}
