import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { orders, type ProviderAction, providerLog, refills, type TaughtKind } from "#app/db/schema.server.ts";
import {
  isHeldAtProvider,
  isRefillHeldAtProvider,
  isRefillTracked,
  isTracked,
} from "#app/orders/fulfillment/indexed-conditions.server.ts";
import { whatFollows } from "#app/orders/providers/conventions/error-meanings.ts";
import { readerOf, type TaughtWord } from "#app/orders/providers/dialect.server.ts";
import { ownTextsOf } from "#app/orders/providers/reading/own-texts.ts";
import { type Reader, textKey } from "#app/orders/providers/reading/reader.ts";
import { readRefillStates, readStates } from "#app/orders/providers/reading/states-answer.ts";
import { undeliveredOf } from "#app/orders/providers/reading/status-report.ts";
import { refundFor } from "#app/orders/rules/charge-and-refund.ts";
import { isFinal, isRefillOpen } from "#app/orders/rules/order-status.ts";
import { MICRO } from "#app/product.ts";
import { isMeaningOf, type Rule } from "./choices.server.ts";
import { errorIn, type KeptAnswer, keptEntry } from "./kept-answers.ts";

/** A rule that would close more orders, or refund more (micro-units), is tried on one order first. */
export const TRIAL_ORDERS = 20;
export const TRIAL_REFUND = 100 * MICRO;
/** Unreadable orders, or refills, whose kept answers a preview reads at most: the newest. */
export const ORDERS_READ = 200;
/** Kept answers about one order that are searched for an error, from the newest. */
const ANSWERS_READ = 20;
const ERROR_CALLS: ErrorCall[] = ["add", "status", "refill_status"];

/** What a rule would do to what is open, as the kept answers say. It changes nothing. */
export type RulePreview = {
  rule: Rule;
  /** Orders that would end, or refills for a word of a refill. */
  closes: number;
  /** Micro-units that their ends would refund. */
  refund: number;
  goesOn: number;
  /** Orders that would end without saying what is delivered, and held orders that had this error: a person decides. */
  staysHeld: number;
  /** More were unreadable than were read. */
  isCut: boolean;
  /** The order that it is tried on first. Null: it holds for all of them at once. */
  tryOn: number | null;
  /** For an error, what follows from it from now on: for an order that is refused so, and where else it was said. */
  next: Next[];
  /** Names exactly what is shown. */
  digest: string;
};

/** A call that an error answers, and what follows then. */
export type Next = { call: ErrorCall; says: string };
export type ErrorCall = "add" | "status" | "refill_status";

export type Speaker = { id: number; convention: string; taught?: TaughtWord[] };
type Effect = { id: number; does: "closes" | "goes_on" | "stays_held"; refund: number };
type Effects = { effects: Effect[]; isCut: boolean };

/** Reads the kept answers of what is unreadable at a provider once with the rule and once without it. */
export async function previewRule(db: Db, provider: Speaker, rule: Rule): Promise<RulePreview> {
  const [{ effects, isCut }, next] = await Promise.all([effectsOf(db, provider, rule), nextOf(db, provider, rule)]);
  const counted = (does: Effect["does"]) => effects.filter((one) => one.does === does).length;
  const refund = effects.reduce((sum, one) => sum + one.refund, 0);
  const closes = counted("closes");
  const isLarge = rule.kind === "state" && (closes > TRIAL_ORDERS || refund > TRIAL_REFUND || isCut);
  const { kind, key, meaning } = rule;
  return {
    rule,
    closes,
    refund,
    goesOn: counted("goes_on"),
    staysHeld: counted("stays_held"),
    isCut,
    tryOn: isLarge ? smallestOf(effects) : null,
    next,
    digest: sha256(JSON.stringify([kind, key, meaning, effects, isCut])).slice(0, 32),
  };
}

/** Returns the order on which a mistake would cost least: one that ends, with the smallest refund. */
function smallestOf(effects: Effect[]): number | null {
  const closing = effects.filter(({ does }) => does === "closes");
  const [first] = (closing.length > 0 ? closing : effects).toSorted((one, other) => one.refund - other.refund);
  return first?.id ?? null;
}

function effectsOf(db: Db, provider: Speaker, rule: Rule): Promise<Effects> {
  const before = readerOf(provider);
  const others = (provider.taught ?? []).filter(({ kind, key }) => kind !== rule.kind || key !== rule.key);
  const after = readerOf({ ...provider, taught: [...others, { ...rule, onlyOrderId: null }] });
  const read: Record<TaughtKind, () => Promise<Effects>> = {
    state: () => effectsOnOrders(db, provider.id, before, after),
    refill_state: () => effectsOnRefills(db, provider.id, before, after),
    error: () => heldWithError(db, provider.id, after, rule.key),
  };
  return read[rule.kind]();
}

async function effectsOnOrders(db: Db, providerId: number, before: Reader, after: Reader): Promise<Effects> {
  const { rows, isCut } = await readUnreadable(
    (where) => keptOfOrders(db, providerId, where),
    [sql`${isTracked} and ${orders.unreadableSince} <> 0`, isHeldAtProvider],
  );
  const effects = rows.flatMap((order): Effect[] => {
    const report = keptEntry(order, before, readStates) ? null : keptEntry(order, after, readStates);
    if (!report) return [];
    const { id } = order;
    if (!isFinal(report.status)) return [{ id, does: "goes_on", refund: 0 }];
    const remains = undeliveredOf(order, report);
    if (remains === null) return [{ id, does: "stays_held", refund: 0 }];
    return [{ id, does: "closes", refund: refundFor({ ...order, remains, total: order.quantity * order.runs }) }];
  });
  return { effects, isCut };
}

async function effectsOnRefills(db: Db, providerId: number, before: Reader, after: Reader): Promise<Effects> {
  const { rows, isCut } = await readUnreadable(
    (where) => keptOfRefills(db, providerId, where),
    [sql`${isRefillTracked} and ${refills.unreadableSince} <> 0`, isRefillHeldAtProvider],
  );
  const effects = rows.flatMap((refill): Effect[] => {
    const report = keptEntry(refill, before, readRefillStates) ? null : keptEntry(refill, after, readRefillStates);
    if (!report) return [];
    return [{ id: refill.id, does: isRefillOpen(report.status) ? "goes_on" : "closes", refund: 0 }];
  });
  return { effects, isCut };
}

async function nextOf(db: Db, provider: Speaker, { kind, key, meaning }: Rule): Promise<Next[]> {
  if (kind !== "error" || !isMeaningOf("error", meaning)) return [];
  const call = await callWithError(db, provider, key);
  return [...new Set<ErrorCall>(["add", call])].map((one) => ({ call: one, says: whatFollows(meaning, one) }));
}

/** Returns which call the last unread answer with an error was given to, as far as it is kept. */
async function callWithError(db: Db, provider: Speaker, key: string): Promise<ErrorCall> {
  const { response, httpStatus, action } = providerLog;
  const about = sql`(select unread.order_id from unread_answers unread
    where unread.provider_id = ${provider.id} and unread.kind = 'error' and unread.key = ${key})`;
  const kept = await db
    .select({ response, httpStatus, action, link: orders.link, providerFields: orders.providerFields })
    .from(providerLog)
    .innerJoin(orders, eq(orders.id, providerLog.orderId))
    .where(and(eq(providerLog.orderId, about), inArray(action, ERROR_CALLS), eq(providerLog.providerId, provider.id)))
    .orderBy(desc(providerLog.id))
    .limit(ANSWERS_READ);
  const reader = readerOf(provider);
  const isSaid = ({ link, providerFields, ...answer }: (typeof kept)[number]) => {
    const text = errorIn({ ...answer, idThere: null }, reader);
    return text !== null && [textKey(text), textKey(text, ownTextsOf({ link, providerFields }))].includes(key);
  };
  return ERROR_CALLS.find((call) => call === kept.find(isSaid)?.action) ?? "add";
}

async function heldWithError(db: Db, providerId: number, reader: Reader, key: string): Promise<Effects> {
  const isHeld = sql`${orders.fulfillment} = 'held' and ${orders.isTest} = 0`;
  const { rows, isCut } = await readUnreadable((where) => keptOfOrders(db, providerId, where, "add"), [isHeld]);
  const effects = rows.flatMap((order): Effect[] => {
    const text = errorIn(order, reader);
    const isSame = text !== null && textKey(text, ownTextsOf(order)) === key;
    return isSame ? [{ id: order.id, does: "stays_held", refund: 0 }] : [];
  });
  return { effects, isCut };
}

/** Reads by each condition, since each has an index of its own, and returns the newest of all. */
async function readUnreadable<Row extends { id: number }>(
  read: (where: SQL) => Promise<Row[]>,
  conditions: SQL[],
): Promise<{ rows: Row[]; isCut: boolean }> {
  const found = (await Promise.all(conditions.map(read))).flat().toSorted((one, other) => other.id - one.id);
  return { rows: found.slice(0, ORDERS_READ), isCut: found.length > ORDERS_READ };
}

function keptOfOrders(db: Db, providerId: number, where: SQL, action: ProviderAction = "status") {
  const { id, providerOrderId, charge, refunded, quantity, runs, type, intervalMinutes, link, providerFields } = orders;
  const { response, httpStatus } = providerLog;
  return db
    .select({
      ...{ id, idThere: providerOrderId, charge, refunded, quantity, runs, type, intervalMinutes },
      ...{ link, providerFields, response, httpStatus },
    })
    .from(orders)
    .innerJoin(providerLog, isNewestAnswer(sql`${orders.id}`, action))
    .where(and(where, eq(orders.providerId, providerId)))
    .orderBy(desc(orders.id))
    .limit(ORDERS_READ + 1);
}

function keptOfRefills(db: Db, providerId: number, where: SQL): Promise<(KeptAnswer & { id: number })[]> {
  const { response, httpStatus } = providerLog;
  return db
    .select({ id: refills.id, idThere: refills.providerRefillId, response, httpStatus })
    .from(refills)
    .innerJoin(providerLog, isNewestAnswer(sql`${refills.orderId}`, "refill_status"))
    .where(and(where, eq(refills.providerId, providerId)))
    .orderBy(desc(refills.id))
    .limit(ORDERS_READ + 1);
}

function isNewestAnswer(orderId: SQL, action: ProviderAction): SQL {
  return sql`${providerLog.id} = (select newest.id from provider_log newest
    where newest.order_id = ${orderId} and newest.action = ${action} order by newest.id desc limit 1)`;
}
