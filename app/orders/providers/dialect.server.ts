import { sql } from "drizzle-orm";
import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  type OrderStatus,
  type RefillStatus,
  type TaughtKind,
  type UnreadKind,
  unreadAnswers,
} from "#app/db/schema.server.ts";
import { conventionNamed } from "./conventions/conventions.ts";
import type { Meaning } from "./conventions/error-meanings.ts";
import { errorOf, messageOf } from "./reading/error-texts.ts";
import { onlyOf } from "./reading/members.ts";
import { withoutQuotes } from "./reading/own-texts.ts";
import { NOTHING_TAUGHT, type Reader, type TaughtWords, textKey, wordKey } from "./reading/reader.ts";
import type { ProviderResponse } from "./reading/response.ts";
import type { Unreadable } from "./reading/states-answer.ts";

/** Kept of one provider and kind as unread. A provider that never writes the same twice must not fill the table. */
export const MAX_UNREAD = 60;
/** Among them, those last seen at orders of one customer: whose texts differ each time must leave room for others. */
export const MAX_UNREAD_OF_CUSTOMER = 30;
const MAX_WORD = 60;

export type TaughtWord = { kind: TaughtKind; key: string; meaning: string; onlyOrderId: number | null };

/** What staff taught for a provider, as JSON for a column of a query on `providers`. Without it, a provider is read as its convention says. */
export const TAUGHT_WORDS = sql<TaughtWord[]>`(select json_group_array(json_object('kind', kind, 'key', key,
    'meaning', meaning, 'onlyOrderId', only_order_id)) from provider_words where provider_id = providers.id)`
  .mapWith((text: string) => JSON.parse(text) as TaughtWord[])
  .as("taught");

/** A provider's row, with what was taught for it if the query asked for that. */
type Speaker = { convention: string; taught?: TaughtWord[] };

/** Returns the reader of a provider's answers, without words that are tried on one order. */
export function readerOf({ convention, taught = [] }: Speaker): Reader {
  return { convention: conventionNamed(convention), words: wordsOf(taught.filter((one) => one.onlyOrderId === null)) };
}

/** Returns the reader for an order that a word is tried on, or null if none is tried on it. */
export function trialReaderOf({ convention, taught = [] }: Speaker, orderId: number): Reader | null {
  const isTried = taught.some((one) => one.onlyOrderId === orderId);
  const holding = taught.filter((one) => one.onlyOrderId === null || one.onlyOrderId === orderId);
  return isTried ? { convention: conventionNamed(convention), words: wordsOf(holding) } : null;
}

function wordsOf(taught: TaughtWord[]): TaughtWords {
  if (taught.length === 0) return NOTHING_TAUGHT;
  const of = <Value extends string>(kind: TaughtKind) =>
    Object.fromEntries(taught.filter((one) => one.kind === kind).map(({ key, meaning }) => [key, meaning as Value]));
  return {
    states: of<OrderStatus>("state"),
    refillStates: of<RefillStatus>("refill_state"),
    errors: of<Meaning>("error"),
  };
}

/** Returns the error or message of an answer, with "#" for what it quotes of our call, or null if it has none. */
export function refusalText(response: ProviderResponse, reader: Reader): string | null {
  const text = saidIn(response, reader);
  if (text === null) return null;
  const lower = text.toLowerCase();
  const bare = withoutQuotes(lower, response.sent ?? [], "#");
  return bare === lower ? text : bare;
}

function saidIn(response: ProviderResponse, { convention }: Reader): string | null {
  if (response.kind !== "json") return null;
  const body = onlyOf(response.body);
  if (typeof body === "string") return body;
  return errorOf(body, convention, response.httpStatus >= 400) ?? messageOf(body, convention);
}

/** A word, an error or an answer that could not be read. `orderId` is null if it is about no single order. */
export type Unread = { kind: UnreadKind; word: string; orderId: number | null };

/** Numbers, links and names: no state has them, but a customer's text may. */
const VARIES = /\d{3}|@|:\/\/|\w\.\w{1,20}\//;

/**
 * Returns what could not be read of an entry: its unknown word, its error, or why it has neither. A word that holds what
 * differs from order to order can't be taught. `inputs`: the order's own texts, which an error may quote.
 */
export function unreadOf(
  { word, error, why }: Unreadable,
  kind: "state" | "refill_state",
  orderId: number,
  inputs: readonly string[] = [],
): Unread {
  const isOwn = word !== undefined && withoutQuotes(word.toLowerCase(), inputs, "#") !== word.toLowerCase();
  if (word !== undefined && !isOwn && !VARIES.test(word)) return { kind, word, orderId };
  if (error === undefined) return { kind: "shape", word: why, orderId };
  return { kind: "error", word: withoutQuotes(error.toLowerCase(), inputs, "#"), orderId };
}

/** Notes the error of an answer about an order that nobody knows. Returns the statements, none for an answer without an error. */
export function noteRefusal(db: Db, providerId: number, orderId: number, response: ProviderResponse, reader: Reader) {
  const word = refusalText(response, reader);
  return word === null ? [] : [noteUnread(db, providerId, { kind: "error", word, orderId })];
}

/** The condition of unread words that were taught meanwhile: while a rule is tried on one order, others still have the word. */
export const IS_TAUGHT = sql`exists (select 1 from provider_words taught where taught.provider_id = unread_answers.provider_id
    and taught.kind = unread_answers.kind and taught.key = unread_answers.key)`;
/** The condition of unread words that staff can teach, and haven't. Nothing can be taught about a shape. */
export const WAITS_TO_BE_TAUGHT = sql`unread_answers.kind <> 'shape' and not ${IS_TAUGHT}`;

/** Returns the key of what could not be read, and what is shown of it: both bounded, and without the order's own texts. */
export function keptOf({ kind, word }: Pick<Unread, "kind" | "word">): { key: string; shown: string } {
  if (kind === "shape") return { key: word, shown: word };
  const key = kind === "error" ? textKey(word) : wordKey(word);
  return { key, shown: kind === "error" ? key : cutText(word.trim(), MAX_WORD) };
}

/**
 * Notes what could not be read, for the provider's page. Await it, or put it in a batch. A new word is left out once the
 * provider has enough of its kind, or enough that were last seen at this customer's orders.
 */
export function noteUnread(db: Db, providerId: number, { kind, word, orderId }: Unread) {
  const { key, shown } = keptOf({ kind, word });
  const now = Date.now();
  const isOfKind = sql`u.provider_id = ${providerId} and u.kind = ${kind}`;
  const isKnown = sql`exists (select 1 from unread_answers u where ${isOfKind} and u.key = ${key})`;
  const all = sql`(select count(*) from unread_answers u where ${isOfKind})`;
  const ofCustomer = sql`(select count(*) from unread_answers u join orders last on last.id = u.order_id
    where ${isOfKind} and last.user_id = (select user_id from orders where id = ${orderId}))`;
  const row = sql`select ${providerId}, ${kind}, ${key}, ${shown}, ${orderId}, 1, ${now}, ${now}
    where ${key} <> '' and (${isKnown} or (${all} < ${MAX_UNREAD} and ${ofCustomer} < ${MAX_UNREAD_OF_CUSTOMER}))`;
  return db
    .insert(unreadAnswers)
    .select(row)
    .onConflictDoUpdate({
      target: [unreadAnswers.providerId, unreadAnswers.kind, unreadAnswers.key],
      set: { seen: sql`${unreadAnswers.seen} + 1`, orderId: sql`excluded.order_id`, lastSeenAt: now },
    });
}
