import { and, asc, eq, gt, lte, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type Db, violates } from "#app/db/db.server.ts";
import { ledgerFaults, rollups } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import { ownValue } from "#app/own-value.ts";
import { DAY_MS } from "#app/time.ts";
import { LEDGER_RULES, type LedgerFault, type LedgerSubject } from "./ledger-check.server.ts";

/** A night checks this part of the old rows, so the whole history is checked in as many nights. */
export const NIGHTS = 30;
/** Rows that one statement goes through. */
const STEP_ROWS = 10_000;
/** Steps per part and night. All jobs of a nightly run share 1,000 queries. */
const MAX_STEPS = 30;
const FAULTS_PER_PAGE = 500;
/** Pages of stored faults per night, each with a statement per rule. */
const MAX_FAULT_PAGES = 20;
/** The name of the position among the stored faults. */
const KNOWN_FAULTS = "ledger check: known faults";
const MAX_LOGGED_FAULTS = 100;

/** A range of row ids: above `from`, up to and including `to`. */
type Range = { from: number; to: number };

/** Rows the check goes through by row id. Almost none is ever deleted, so a range holds about as many rows. */
type Part = {
  /** The name of its position in `rollups`. */
  name: string;
  table: "ledger" | "orders" | "wallets" | "sales_day_totals";
  /** New rows are checked until none is left, old ones a thirtieth per night. */
  reads: "new rows" | "old rows";
  /** Selects the rows to check by each kind of rule. */
  selects: (range: Range) => Partial<Record<LedgerSubject, SQL>>;
};

const within = (column: string, { from, to }: Range) =>
  sql`${sql.raw(column)} > cast(${from} as integer) and ${sql.raw(column)} <= cast(${to} as integer)`;
const newEntries = (range: Range) => sql`from ledger n where ${within("n.id", range)}`;

const PARTS: Part[] = [
  {
    name: "ledger check: new entries",
    table: "ledger",
    reads: "new rows",
    selects: (range) => ({
      entry: within("l.id", range),
      wallet: sql`w.user_id in (select n.user_id ${newEntries(range)})`,
      order: sql`o.id in (select n.order_id ${newEntries(range)})`,
    }),
  },
  {
    name: "ledger check: new orders",
    table: "orders",
    reads: "new rows",
    // The wallets too: a missing entry leaves its wallet out of the part above.
    selects: (range) => ({
      order: within("o.id", range),
      wallet: sql`w.user_id in (select n.user_id from orders n where ${within("n.id", range)})`,
    }),
  },
  {
    name: "ledger check: old entries",
    table: "ledger",
    reads: "old rows",
    selects: (range) => ({ entry: within("l.id", range) }),
  },
  {
    name: "ledger check: old orders",
    table: "orders",
    reads: "old rows",
    selects: (range) => ({ order: within("o.id", range) }),
  },
  {
    name: "ledger check: wallets",
    table: "wallets",
    reads: "old rows",
    selects: (range) => ({ wallet: within("w.rowid", range) }),
  },
  {
    // The ids are days. What is summed up of a day that is over never changes.
    name: "ledger check: days",
    table: "sales_day_totals",
    reads: "new rows",
    selects: (range) => ({ day: within("d.day", range) }),
  },
];

/**
 * Checks the entries and orders since the last check, a thirtieth of the others, and every fault found earlier. Returns
 * all faults and logs them; each stays until its rows are right again. Continues where an interrupted run stopped.
 */
export async function checkLedgerNightly(
  db: Db,
  { stepRows = STEP_ROWS, maxSteps = MAX_STEPS, faultsPerPage = FAULTS_PER_PAGE } = {},
): Promise<LedgerFault[]> {
  for (const part of PARTS) {
    const isDone = await checkPart(db, part, stepRows, maxSteps);
    if (!isDone) log("warn", "ledger check continues in the next run", { part: part.name });
  }
  await deleteFixedFaults(db, faultsPerPage);
  return reportFaults(db);
}

/** Returns whether the part's share of this night is checked. */
async function checkPart(db: Db, part: Part, stepRows: number, maxSteps: number): Promise<boolean> {
  await db.insert(rollups).values({ name: part.name, upToId: 0 }).onConflictDoNothing();
  const position = eq(rollups.name, part.name);
  const end = await lastIdOf(db, part);
  const [stored] = await db.select().from(rollups).where(position);
  let before = stored?.upToId ?? 0;
  let from = part.reads === "old rows" && before >= end ? 0 : before;
  const goal = part.reads === "old rows" ? Math.min(end, from + Math.ceil(end / NIGHTS)) : end;
  for (let step = 0; from < goal; step++) {
    if (step === maxSteps) return false;
    const to = Math.min(goal, from + stepRows);
    // NULL, which the column refuses and which stops the batch, if another run advanced meanwhile.
    const advance = db
      .update(rollups)
      .set({ upToId: sql`iif(${rollups.upToId} = ${before}, ${to}, null)` })
      .where(position);
    try {
      await db.batch([advance, ...storeFaults(db, part.selects({ from, to }))]);
    } catch (error) {
      if (violates(error, "rollups.up_to_id")) return true;
      throw error;
    }
    before = from = to;
  }
  return true;
}

async function lastIdOf(db: Db, { table }: Part): Promise<number> {
  const isDays = table === "sales_day_totals";
  const over = isDays ? sql`where day < ${Math.floor(Date.now() / DAY_MS)}` : sql``;
  const [last] = await db.all<{ id: number | null }>(
    sql`select max(rowid) as id from ${sql.identifier(table)} ${over}`,
  );
  return last?.id ?? 0;
}

/** Returns the statements that store the faults among the selected rows. */
function storeFaults(db: Db, selected: Partial<Record<LedgerSubject, SQL>>): BatchItem<"sqlite">[] {
  return Object.entries(LEDGER_RULES).flatMap(([rule, { subject, readsHistory, faults }]) => {
    const where = selected[subject];
    if (!where || readsHistory) return [];
    return [
      db
        .insert(ledgerFaults)
        // SQLite takes "on conflict" after a SELECT only if that has a WHERE.
        .select(
          sql`select null, ${rule}, cast(subject as text), is_now, should_be, cast(${Date.now()} as integer)
            from (${faults(where)}) where true`,
        )
        .onConflictDoUpdate({
          target: [ledgerFaults.rule, ledgerFaults.subject],
          set: { isNow: sql`excluded.is_now`, shouldBe: sql`excluded.should_be` },
        }),
    ];
  });
}

const KEY: Record<LedgerSubject, SQL> = { wallet: sql`w.user_id`, entry: sql`l.id`, order: sql`o.id`, day: sql`d.day` };
/** The key of a stored fault (`f`). */
const STORED_KEY: Record<LedgerSubject, SQL> = {
  wallet: sql`f.subject`,
  entry: sql`cast(f.subject as integer)`,
  order: sql`cast(f.subject as integer)`,
  day: sql`unixepoch(f.subject) / 86400`,
};

/** Checks stored faults, from where the last run stopped, and deletes those that are fixed. */
async function deleteFixedFaults(db: Db, perPage: number): Promise<void> {
  const [stored] = await db.select().from(rollups).where(eq(rollups.name, KNOWN_FAULTS));
  let from = stored?.upToId ?? 0;
  for (let checked = 0; checked < MAX_FAULT_PAGES; checked++) {
    const page = await db
      .select({ id: ledgerFaults.id, rule: ledgerFaults.rule })
      .from(ledgerFaults)
      .where(gt(ledgerFaults.id, from))
      .orderBy(asc(ledgerFaults.id))
      .limit(perPage);
    const to = page.at(-1)?.id;
    if (to === undefined) {
      from = 0;
      break;
    }
    const broken = new Set(page.map((fault) => fault.rule));
    for (const [rule, { subject, faults }] of Object.entries(LEDGER_RULES)) {
      if (!broken.has(rule)) continue;
      const known = and(gt(ledgerFaults.id, from), lte(ledgerFaults.id, to), eq(ledgerFaults.rule, rule));
      const subjects = sql`(select ${STORED_KEY[subject]}
        from ledger_faults f where ${within("f.id", { from, to })} and f.rule = ${rule})`;
      const stillBroken = faults(sql`${KEY[subject]} in ${subjects}`);
      await db
        .delete(ledgerFaults)
        .where(and(known, sql`${ledgerFaults.subject} not in (select cast(subject as text) from (${stillBroken}))`));
    }
    from = to;
  }
  const set = { upToId: from };
  await db
    .insert(rollups)
    .values({ name: KNOWN_FAULTS, ...set })
    .onConflictDoUpdate({ target: rollups.name, set });
}

/** Returns the statement that counts the stored faults, up to `limit`, and reads when the first was found. */
export function selectFaultCount(db: Db, limit: number) {
  const found = db.select({ foundAt: ledgerFaults.foundAt }).from(ledgerFaults).limit(limit).as("found");
  return db
    .select({
      faults: sql<number>`count(*)`.as("faults"),
      since: sql<number | null>`min(${found.foundAt})`.as("since"),
    })
    .from(found);
}

async function reportFaults(db: Db): Promise<LedgerFault[]> {
  const [stored, total] = await Promise.all([
    db.select().from(ledgerFaults).orderBy(asc(ledgerFaults.id)).limit(MAX_LOGGED_FAULTS),
    db.$count(ledgerFaults),
  ]);
  const faults = stored.map(({ rule, subject, isNow, shouldBe }) => ({
    rule,
    subject: `${ownValue(LEDGER_RULES, rule)?.subject ?? "unknown rule"} ${subject}`,
    is_now: isNow,
    should_be: shouldBe,
  }));
  for (const fault of faults) log("error", "ledger does not add up", fault);
  if (total > faults.length) log("error", "ledger has more faults than are logged", { faults: total });
  return faults;
}
