import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { rateLimits } from "#app/db/schema.server.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { countedDatabase, type StatementCounts } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { addExpired, fillHistory, startHistory } from "#tests/workerd/history-fill.ts";
import { EVERY_MINUTE, NIGHTLY } from "./cron-triggers.ts";
import { runScheduledJobs } from "./scheduled-jobs.ts";

const MAX_ROWS = 200;
/**
 * Filled twice: what a job reads must not depend on it. Most tables get a tenth as many rows, still far more than MAX_ROWS.
 * Measured once with 1,000,000 and 100,000.
 */
const SIZES = { orders: atScale(6000, 50_000), conversations: atScale(600, 5000) };
const EXPIRED = 100;
/** Rows that the nightly ledger check reads for each of the thirtieth of orders and entries that is due. */
const LEDGER_READS_PER_ROW = 11;
/** Other rows that a night reads for the ledger check: wallets and entries of a thirtieth of the accounts, and its start. */
const OTHER_LEDGER_READS = 500;

test("reads the same few rows in a minute and in a night without work, however much there was before", async () => {
  const minutes: number[] = [];
  const nights: number[] = [];
  const start = await startHistory();
  // From its first run on, a job has a row.
  await runScheduledJobs(NIGHTLY, env);
  for (let filled = 1; filled <= 2; filled++) {
    await addExpired(EXPIRED);
    await fillHistory(start, SIZES);
    // The first runs sum up and check these orders.
    await rollUpSpending(db);
    await runScheduledJobs(EVERY_MINUTE, env);

    const minute = await countedRun(EVERY_MINUTE);
    expect(sum(minute, "rowsRead"), listed(minute)).toBeLessThanOrEqual(MAX_ROWS);
    expect(sum(minute, "rowsWritten"), listed(minute)).toBe(0);
    minutes.push(sum(minute, "rowsRead"));

    const night = await countedRun(NIGHTLY);
    const others = night.filter(([query]) => !isLedgerCheck(query));
    expect(sum(others, "rowsRead"), listed(others)).toBeLessThanOrEqual(EXPIRED * 100);
    nights.push(sum(others, "rowsRead"));

    const idleNight = await countedRun(NIGHTLY);
    const checked = idleNight.filter(([query]) => isLedgerCheck(query));
    const due = (filled * SIZES.orders) / 30;
    expect(sum(checked, "rowsRead"), listed(checked)).toBeLessThanOrEqual(
      due * LEDGER_READS_PER_ROW + OTHER_LEDGER_READS,
    );
    nights.push(
      sum(
        idleNight.filter(([query]) => !isLedgerCheck(query)),
        "rowsRead",
      ),
    );
  }
  console.log(`rows read in an idle minute: ${minutes}; in nights with and without ${EXPIRED} expired rows: ${nights}`);
  expect(minutes[1]).toBe(minutes[0]);
  expect(nights.slice(2)).toEqual(nights.slice(0, 2));
}, 300_000);

test("forgets within minutes what a flood of attempts has counted, and nothing that still counts", async () => {
  await db.delete(rateLimits);
  const now = Date.now();
  // Strangers log in with addresses they make up: each attempt counts for other keys.
  await db.run(sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 60000)
    insert into rate_limits (key, count, resets_at) select 'flood' || i, 1, ${now} - i from n`);
  await db.insert(rateLimits).values({ key: "counts", count: 1, resetsAt: now + 900_000 });
  for (let minute = 0; minute < 3; minute++) await runScheduledJobs(EVERY_MINUTE, env);
  expect(await db.select({ key: rateLimits.key }).from(rateLimits)).toEqual([{ key: "counts" }]);
  await db.delete(rateLimits);
});

async function countedRun(cron: string): Promise<[string, StatementCounts][]> {
  const [main, support] = [countedDatabase(env.DB), countedDatabase(env.DB_SUPPORT)];
  await runScheduledJobs(cron, { ...env, DB: main.database, DB_SUPPORT: support.database });
  return [...main.byStatement, ...support.byStatement];
}

/** The ledger check goes through a thirtieth of the history each night; see nightly-ledger-check.server.test.ts. */
function isLedgerCheck(query: string): boolean {
  return /ledger_faults|rollups|max\(rowid\)/.test(query);
}

function sum(statements: [string, StatementCounts][], of: keyof StatementCounts): number {
  return statements.reduce((total, [, counts]) => total + counts[of], 0);
}

/** Lists the statements that read or wrote most. */
function listed(statements: [string, StatementCounts][]): string {
  return statements
    .filter(([, { rowsRead, rowsWritten }]) => rowsRead + rowsWritten > 0)
    .sort(([, one], [, other]) => other.rowsRead - one.rowsRead)
    .map(([query, { rowsRead, rowsWritten }]) => `${rowsRead} read, ${rowsWritten} written: ${query.slice(0, 300)}`)
    .join("\n");
}
