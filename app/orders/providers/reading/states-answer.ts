import type { RefillStatus } from "#app/db/schema.server.ts";
import { leavesNothing } from "#app/orders/rules/order-status.ts";
import { ownValue } from "#app/own-value.ts";
import {
  causeForAll,
  causeInText,
  causeOfRefusal,
  errorOf,
  meaningOf,
  messageOf,
  soundsRefused,
} from "./error-texts.ts";
import { idText, isRecord, type Members, markIn, markOf, memberOf, membersOf, onlyOf, wrappedIn } from "./members.ts";
import { missingParameter } from "./missing-parameter.ts";
import { type Reader, wordKey } from "./reader.ts";
import type { ProviderResponse } from "./response.ts";
import { type Report, reportOf, statusOf } from "./status-report.ts";

/**
 * What could not be read of one order or refill. `missing`: the answer has no entry for it. `error`: an error in place of
 * its state. `word`: a state that nobody knows, which staff can teach. `other_id`: the entry names another id. `twice`: two
 * entries for it say different things. `shape`: anything else.
 */
export type Unreadable = {
  kind: "unreadable";
  why: "missing" | "error" | "word" | "other_id" | "twice" | "shape";
  /** The unknown state as it is written. */
  word?: string;
  /** The error's text. */
  error?: string;
  /** The entry, for the log. Undefined where it is missing. */
  entry: unknown;
};

export type RefillReport = { kind: "report"; status: RefillStatus };

/**
 * What an answer says about orders or refills.
 *
 * - `entries`: one for each id that was asked for, and no other.
 * - `ask_single`: nothing was learned about any of them, and asking one by one may. `parameter`: it misses the parameter for
 *   one id. `refused`: one of the ids may be the reason, as well as their number. `bare`: it speaks of one order and doesn't
 *   say of which. `empty`: it has no bytes. Only a call for one id that is answered afterwards shows that the provider takes
 *   no list; the last three also come from providers that do.
 * - `about_all`: it is about every call, for now.
 * - `no_answer`: nobody answered, or with a page.
 */
export type StatesAnswer<One> =
  | { kind: "entries"; entries: Map<string, One | Unreadable> }
  | { kind: "ask_single"; why: "parameter" | "refused" | "bare" | "empty"; error?: string }
  | { kind: "about_all"; cause: "key" | "funds" | "busy" }
  | { kind: "no_answer"; why: string };

/** How a call asked: for one id by the parameter for one, or for several by that for many, also if there is one of them. */
export type AskedFor = "one" | "many";

/** Reads the answer to `status` about these ids of the provider. An entry goes to no other order than its id says. */
export function readStates(
  response: ProviderResponse,
  reader: Reader,
  ids: readonly string[],
  mode: AskedFor,
): StatesAnswer<Report> {
  const { order, id, status } = reader.convention.members;
  return readAbout(response, reader, ids, mode, {
    idNames: [...order, ...id],
    stateNames: status,
    read: readOrderEntry,
    tellsByName: false,
    calls: "status",
  });
}

/** Reads the answer to `refill_status` about these refill ids of the provider. */
export function readRefillStates(
  response: ProviderResponse,
  reader: Reader,
  ids: readonly string[],
  mode: AskedFor,
): StatesAnswer<RefillReport> {
  const { refill, id, refillStatus = [], status } = reader.convention.members;
  return readAbout(response, reader, ids, mode, {
    idNames: [...refill, ...id],
    stateNames: [...refillStatus, ...status],
    read: readRefillEntry,
    tellsByName: true,
    calls: "refill_status",
  });
}

type Kind<One> = {
  /** Members that hold an entry's id, the most telling first. */
  idNames: readonly string[];
  /** Members that hold an entry's state, the most telling first. */
  stateNames: readonly string[];
  /** `isTold`: the word of the entry is a state, even if a call could also say it of itself, such as "success". */
  read: (entry: unknown, reader: Reader, stateNames: readonly string[], isTold: boolean) => One | Unreadable;
  /** An entry that names its id tells a state with any word. Not for orders, which a wrong "success" would close. */
  tellsByName: boolean;
  calls: "status" | "refill_status";
};

function readAbout<One>(
  response: ProviderResponse,
  reader: Reader,
  ids: readonly string[],
  mode: AskedFor,
  kind: Kind<One>,
): StatesAnswer<One> {
  if (response.kind === "no_response") {
    const isEmpty = response.httpStatus === 200 && response.raw.trim() === "";
    return isEmpty && mode === "many" ? { kind: "ask_single", why: "empty" } : { kind: "no_answer", why: response.why };
  }
  const statusCause = causeOfRefusal(response);
  if (response.kind === "unreadable") {
    const cause = statusCause ?? causeInText(response.raw, reader);
    return cause ? { kind: "about_all", cause } : { kind: "no_answer", why: response.why };
  }
  const entries = entriesIn(response.body, reader, ids, mode, kind);
  if (entries) return { kind: "entries", entries };
  const text = refusalIn(response.body, reader, response.httpStatus >= 400);
  const cause = (text === null ? null : causeForAll(meaningOf(text, reader))) ?? statusCause;
  if (cause) return { kind: "about_all", cause };
  const error = text === null ? {} : { error: text };
  if (mode === "many" && (ids.length > 1 || text !== null)) {
    if (text === null) return { kind: "ask_single", why: "bare" };
    return { kind: "ask_single", why: asksForOne(text, reader, kind.calls) ? "parameter" : "refused", ...error };
  }
  const why = text === null ? "shape" : "error";
  const unreadable: Unreadable = { kind: "unreadable", why, entry: response.body, ...error };
  return { kind: "entries", entries: new Map(ids.map((id) => [id, unreadable])) };
}

function refusalIn(body: unknown, { convention }: Reader, isRefused: boolean): string | null {
  if (typeof body === "string") return body;
  return errorOf(onlyOf(body), convention, isRefused) ?? messageOf(onlyOf(body), convention);
}

/** Returns whether an error names the parameter for one id as missing: "The order field is required". */
function asksForOne(text: string, { convention }: Reader, call: "status" | "refill_status"): boolean {
  const { one = "", many = one } = convention.calls[call];
  return missingParameter(text, [one, many]) === one;
}

/**
 * Returns an entry for each id, or null if the answer has no entry of any. An empty object or list has none of them, since
 * PHP writes an object without any as [].
 */
function entriesIn<One>(
  body: unknown,
  reader: Reader,
  ids: readonly string[],
  mode: AskedFor,
  kind: Kind<One>,
): Map<string, One | Unreadable> | null {
  const asked = new Set(ids);
  if (isEmpty(body)) return withMissing(new Map(), ids);
  const places = wrappedIn(body, reader.convention);
  for (const place of places) {
    const named = namedEntries(place, asked, kind.idNames);
    if (named.size > 0) return withMissing(readNamed(named, reader, kind), ids);
  }
  const [only] = ids;
  if (only === undefined || ids.length > 1) {
    return places.some((place, at) => at > 0 && isEmpty(place)) && mode === "many" ? withMissing(new Map(), ids) : null;
  }
  // The one that was asked for is spoken of without its id, or by another one.
  for (const place of places) {
    const entry = onlyOf(place);
    const isTold = isMarkedBy(body, entry, reader, kind.stateNames);
    if (!isRecord(entry) || !(isTold || hasState(entry, reader, kind.stateNames))) continue;
    const id = idIn(membersOf(entry), kind.idNames);
    const isOther = id !== null && id !== only;
    return new Map([
      [
        only,
        isOther ? { kind: "unreadable", why: "other_id", entry } : kind.read(entry, reader, kind.stateNames, isTold),
      ],
    ]);
  }
  return null;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/**
 * Returns what an object writes as its state: of several members the first that isn't a word of the call, as "In progress"
 * in `{"status": "success", "order_status": "In progress"}`. If the call failed, there is no state.
 */
function wordIn(members: Members, reader: Reader, stateNames: readonly string[]): unknown {
  const said = stateNames
    .map((name) => members.get(name))
    .filter((one) => one !== undefined && one !== null && one !== "");
  const told = said.find((one) => !isMark(String(one), reader));
  if (told === undefined) return said[0];
  const hasFailure = said.some(
    (one) => isMark(String(one), reader) && markIn(String(one), reader.convention) === "failure",
  );
  return hasFailure ? undefined : told;
}

/** Returns whether an object holds the state of an order rather than that of the call. */
function hasState(entry: Record<string, unknown>, reader: Reader, stateNames: readonly string[]): boolean {
  const members = membersOf(entry);
  const word = wordIn(members, reader, stateNames);
  if (typeof word !== "string" && typeof word !== "number") return false;
  return saysMore(members, reader) || !isMark(String(word), reader);
}

/** Returns whether an answer says outside that it succeeded, so that a word inside of it is the state. */
function isMarkedBy(outer: unknown, inner: unknown, reader: Reader, stateNames: readonly string[]): boolean {
  if (outer === inner) return false;
  const word = wordIn(membersOf(inner), reader, stateNames);
  return typeof word === "string" && markOf(membersOf(outer), reader.convention) === "success";
}

/** Returns whether a word such as "success", or a code such as 200, describes the call. Beside other fields of an order, it is the state. */
function isMark(word: string, { convention }: Reader): boolean {
  return markIn(word, convention) !== null && !convention.marks.alsoStates.includes(wordKey(word));
}

function saysMore(members: Members, { convention }: Reader): boolean {
  const { remains, startCount, charge, parts, subOrders } = convention.members;
  const hasText = memberOf(members, convention.members.error) !== undefined;
  const names = [...remains, ...startCount, ...charge, ...parts];
  const hasList = subOrders.some((name) => Array.isArray(members.get(name)));
  return !hasText && (hasList || names.some((name) => members.has(name)));
}

/** An entry, and whether it names another id than the key that it stands under. */
type Named = { entry: unknown; isOther: boolean };

/** Returns the entries of the ids that were asked for, by the id that each one names: as its key, or in itself. */
function namedEntries(place: unknown, asked: ReadonlySet<string>, idNames: readonly string[]): Map<string, Named[]> {
  const found = new Map<string, Named[]>();
  const note = (id: string | null, entry: unknown) => {
    if (id === null || !asked.has(id)) return;
    const own = idIn(membersOf(entry), idNames);
    const named = { entry, isOther: own !== null && own !== id };
    const before = found.get(id);
    if (before) before.push(named);
    else found.set(id, [named]);
  };
  if (Array.isArray(place)) {
    for (const entry of place) {
      const id = idIn(membersOf(entry), idNames);
      // A map of one order, as an element of a list.
      const key = isRecord(entry) ? Object.keys(entry).find((one) => asked.has(one)) : undefined;
      if (id === null && key !== undefined) note(key, ownValue(entry, key));
      else note(id, entry);
    }
  } else if (isRecord(place)) {
    for (const id of asked) if (Object.hasOwn(place, id)) note(id, place[id]);
    // One entry, which names its id.
    if (found.size === 0) note(idIn(membersOf(place), idNames), place);
  }
  return found;
}

function idIn(members: Members, idNames: readonly string[]): string | null {
  for (const name of idNames) {
    const value = members.get(name);
    const id = idText(isRecord(value) ? memberOf(membersOf(value), idNames) : value);
    if (id !== null) return id;
  }
  return null;
}

function readNamed<One>(named: Map<string, Named[]>, reader: Reader, kind: Kind<One>): Map<string, One | Unreadable> {
  const read = new Map<string, One | Unreadable>();
  for (const [id, [first, ...others]] of named) {
    if (!first) continue;
    const { entry, isOther } = first;
    const isSame = others.every((other) => JSON.stringify(other.entry) === JSON.stringify(entry));
    if (!isSame) {
      read.set(id, { kind: "unreadable", why: "twice", entry: [first, ...others].map((one) => one.entry) });
    } else if (isOther) read.set(id, { kind: "unreadable", why: "other_id", entry });
    else read.set(id, kind.read(entry, reader, kind.stateNames, kind.tellsByName));
  }
  return read;
}

function withMissing<One>(read: Map<string, One | Unreadable>, ids: readonly string[]): Map<string, One | Unreadable> {
  const missing: Unreadable = { kind: "unreadable", why: "missing", entry: undefined };
  return new Map(ids.map((id) => [id, read.get(id) ?? missing]));
}

/** Reads the entry of one order. Inside of wrappers, the innermost state counts: the outer one is the call's. */
function readOrderEntry(
  entry: unknown,
  reader: Reader,
  stateNames: readonly string[],
  isTold: boolean,
): Report | Unreadable {
  const found = stateIn(entry, reader, stateNames, isTold, (word) => statusOf(word, reader));
  if (found.kind !== "state") return found;
  const report = reportOf(found.state, found.members, reader);
  const word = String(wordIn(found.members, reader, stateNames));
  if (!isMark(word, reader) || reader.convention.marks.besideNumbers?.includes(wordKey(word))) return report;
  // A call that succeeded says so too. An order that is done leaves nothing.
  const isOfCall = leavesNothing(report.status) && report.remains !== null && report.remains > 0;
  if (isOfCall && !isTaughtState(found.members, reader, stateNames)) return { kind: "unreadable", why: "shape", entry };
  // A call that failed may have zeros where it found nothing.
  return report.remains ? report : { ...report, isUnclear: true };
}

function isTaughtState(members: Members, reader: Reader, stateNames: readonly string[]): boolean {
  return ownValue(reader.words.states, wordKey(String(wordIn(members, reader, stateNames)))) !== undefined;
}

function readRefillEntry(
  entry: unknown,
  reader: Reader,
  stateNames: readonly string[],
  isTold: boolean,
): RefillReport | Unreadable {
  const found = stateIn(entry, reader, stateNames, isTold, (word) => refillStatusOf(word, reader));
  return found.kind === "state" ? { kind: "report", status: found.state } : found;
}

/** Returns the status of a refill that a word means. Null for an unknown word. */
export function refillStatusOf(word: string, { convention, words }: Reader): RefillStatus | null {
  const key = wordKey(word);
  return ownValue(words.refillStates, key) ?? ownValue(convention.refillStates, key) ?? null;
}

type FoundState<State> = { kind: "state"; state: State; members: Members } | Unreadable;

function stateIn<State>(
  entry: unknown,
  reader: Reader,
  stateNames: readonly string[],
  isTold: boolean,
  meaning: (word: string) => State | null,
): FoundState<State> {
  if (typeof entry === "string") return stateOfText(entry, reader, meaning);
  const { convention } = reader;
  const error = errorOf(entry, convention);
  const place = wrappedIn(entry, convention)
    .filter(isRecord)
    .findLast(
      (one) =>
        hasState(one, reader, stateNames) ||
        isMarkedBy(entry, one, reader, stateNames) ||
        (isTold && typeof wordIn(membersOf(one), reader, stateNames) === "string"),
    );
  if (place === undefined || (error !== null && !isOnlyState(entry, reader))) {
    const nested = isRecord(entry) ? errorOf(memberOf(membersOf(entry), stateNames), convention) : null;
    const text = nested ?? error;
    return { kind: "unreadable", why: text === null ? "shape" : "error", entry, ...(text !== null && { error: text }) };
  }
  const members = membersOf(place);
  const word = String(wordIn(members, reader, stateNames));
  const state = meaning(word);
  return state === null ? { kind: "unreadable", why: "word", word, entry } : { kind: "state", state, members };
}

/** Returns whether nothing but the word of its state looks like an error in an entry, such as "Failed". */
function isOnlyState(entry: unknown, { convention }: Reader): boolean {
  const members = membersOf(entry);
  return memberOf(members, [...convention.members.error, ...convention.members.message]) === undefined;
}

const SHORT_WORD = /^[\p{L}_-]{2,20}(?: [\p{L}_-]{1,20}){0,2}$/u;

/** An id with a bare text: a state if it is a known word of one, otherwise an error. */
function stateOfText<State>(text: string, reader: Reader, meaning: (word: string) => State | null): FoundState<State> {
  const state = isMark(text, reader) ? null : meaning(text);
  if (state !== null) return { kind: "state", state, members: new Map() };
  // What may be a state that nobody knows, staff can teach as one.
  const isWord =
    SHORT_WORD.test(text) && !isMark(text, reader) && meaningOf(text, reader) === null && !soundsRefused(text);
  return isWord
    ? { kind: "unreadable", why: "word", word: text, entry: text }
    : { kind: "unreadable", why: "error", error: text, entry: text };
}
