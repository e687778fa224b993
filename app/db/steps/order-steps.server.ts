import { type SQL, sql } from "drizzle-orm";
import { type FulfillmentState, type HoldReason, type OrderStatus, orders } from "#app/db/schema.server.ts";

/**
 * The steps of an order, in its row: a letter each and the seconds since it was placed, as in "s2a12i95C340". Whatever
 * changes an order's status or holds it appends a step in the same statement, so that it costs no further row. Calls that
 * are repeated are no step: what the provider answered to each is in its log.
 */

const STATUS_LETTERS: Record<OrderStatus, string> = {
  Pending: "n",
  Processing: "p",
  "In progress": "i",
  Completed: "C",
  Partial: "P",
  Canceled: "X",
};
const FULFILLMENT_LETTERS: Record<Exclude<FulfillmentState, "held">, string> = {
  manual: "m",
  queued: "q",
  submitting: "s",
  accepted: "a",
  rejected: "r",
};
const HOLD_LETTERS: Record<HoldReason, string> = {
  cut_off: "k",
  unclear_answer: "u",
  id_taken: "t",
  provider_changed: "v",
  unreadable: "y",
  no_remains: "z",
  refused_too_long: "w",
  account_deleted: "d",
  splits_comments: "c",
  restored: "b",
};
/** Some 40 steps. In a full history, only the newest status replaces the last step, however often a provider changes it. */
const MAX_CHARACTERS = 240;

export type OrderStep = { at: number } & (
  | { kind: "status"; status: OrderStatus }
  | { kind: "fulfillment"; fulfillment: Exclude<FulfillmentState, "held"> }
  | { kind: "held"; heldFor: HoldReason }
);

/** Columns that an update changes. A status may be SQL, if rows get different ones. */
type Changes = { status?: OrderStatus | SQL } & (
  | { fulfillment?: Exclude<FulfillmentState, "held">; heldFor?: null }
  | { fulfillment: "held"; heldFor: HoldReason }
);

/** Returns the history of an order after an update at the time `now`. A value that it has already is no step. */
export function historyAfter({ status, ...changes }: Changes, now: number): SQL {
  const { history, createdAt } = orders;
  const seconds = sql`cast(max(0, ${now} - ${createdAt}) / 1000 as integer)`;
  const hold = sql`iif(${stepOf(changes)} = '', '', ${stepOf(changes)} || ${seconds})`;
  const added = changes.fulfillment === undefined ? sql`''` : hold;
  const room = sql`length(${history}) < ${sql.raw(String(MAX_CHARACTERS))}`;
  if (status === undefined) return sql`iif(${room}, ${history} || ${added}, ${history})`;
  const isNew = sql`${orders.status} <> ${status}`;
  const step = sql`${letterOf(status)} || ${seconds}`;
  const letters = sql`rtrim(${history}, '0123456789')`;
  const withoutLast = sql`substr(${letters}, 1, length(${letters}) - 1)`;
  return sql`case when ${room} then ${history} || ${added} || iif(${isNew}, ${step}, '')
    when ${isNew} then ${withoutLast} || ${step} else ${history} end`;
}

/** Returns the columns of an order that is held from now on, until a person or its provider tells more. */
export function heldBy(heldFor: HoldReason, now: number) {
  const history = historyAfter({ fulfillment: "held", heldFor }, now);
  return { fulfillment: "held", heldFor, history, updatedAt: now } as const;
}

/** Returns the history of an order that is sent at the time `now`. Only its first call is a step. */
export function historySent(now: number): SQL {
  return sql`iif(${orders.attempts} = 0, ${historyAfter({ fulfillment: "submitting" }, now)}, ${orders.history})`;
}

/** The history of an order that a restored copy holds, as SQL. */
export const HISTORY_RESTORED = `history || '${HOLD_LETTERS.restored}' || max(0, unixepoch() - created_at / 1000)`;

function stepOf({ fulfillment, heldFor }: Omit<Changes, "status">): SQL {
  if (fulfillment === undefined) return sql`''`;
  if (fulfillment !== "held") {
    return sql.raw(`iif(orders.fulfillment <> '${fulfillment}', '${FULFILLMENT_LETTERS[fulfillment]}', '')`);
  }
  const isHeld = `orders.fulfillment = 'held' and orders.held_for is '${heldFor}'`;
  return sql.raw(`iif(${isHeld}, '', '${heldFor ? HOLD_LETTERS[heldFor] : ""}')`);
}

function letterOf(status: OrderStatus | SQL): SQL {
  if (typeof status === "string") return sql.raw(`'${STATUS_LETTERS[status]}'`);
  const cases = Object.entries(STATUS_LETTERS).map(([name, letter]) => `when '${name}' then '${letter}'`);
  return sql`case ${status} ${sql.raw(cases.join(" "))} end`;
}

const STEPS = new Map<string, (at: number) => OrderStep>([
  ...entriesOf(STATUS_LETTERS, (status) => (at: number) => ({ at, kind: "status", status })),
  ...entriesOf(FULFILLMENT_LETTERS, (fulfillment) => (at: number) => ({ at, kind: "fulfillment", fulfillment })),
  ...entriesOf(HOLD_LETTERS, (heldFor) => (at: number) => ({ at, kind: "held", heldFor })),
]);

function entriesOf<Name extends string>(
  letters: Record<Name, string>,
  step: (name: Name) => (at: number) => OrderStep,
): [string, (at: number) => OrderStep][] {
  return (Object.keys(letters) as Name[]).map((name) => [letters[name], step(name)]);
}

/** Returns whether an order's history has no room for further steps, so that some of them may be missing. */
export function isFullHistory({ history }: { history: string }): boolean {
  return history.length >= MAX_CHARACTERS;
}

/** Returns the steps of an order, oldest first, with their times in ms, to the second. Unknown letters are left out. */
export function readSteps({ history, createdAt }: { history: string; createdAt: number }): OrderStep[] {
  return [...history.matchAll(/([A-Za-z])(\d+)/g)].flatMap(([, letter = "", seconds]) => {
    const step = STEPS.get(letter);
    return step ? [step(createdAt + Number(seconds) * 1000)] : [];
  });
}
