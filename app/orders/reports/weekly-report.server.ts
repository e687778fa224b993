import { eq, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { rollups } from "#app/db/schema.server.ts";
import { makeEmail, queueEmail } from "#app/email/queue-email.server.ts";
import { emailKey } from "#app/email-address.ts";
import { daysBefore, type Period, salesDayOf } from "#app/orders/sales/sales-period.ts";
import { rollUpSpending } from "#app/orders/wallet/spending.server.ts";
import { readSiteSettings } from "#app/settings/settings-store.server.ts";
import { readReport } from "./read-report.server.ts";
import type { ReportQuery } from "./report-query.ts";
import { weeklyReportEmail } from "./weekly-report-email.ts";

/** Its row in `rollups` has the Monday of the last week that is done with, in days since 1970. */
const WEEKLY_REPORT_ROLLUP = "weekly report";
const SERVICES_NAMED = 10;

type ReportEnv = Pick<Env, "ENCRYPTION_KEYS"> & Partial<Pick<Env, "PUBLIC_ORIGIN">>;

/**
 * Queues the report of last week to each address of the setting, in the first night of a week that gets to it. The batch
 * that queues them notes the week: however often this runs, and wherever it is cut off, an address gets one email per ISO
 * week. Queues nothing if nobody has ordered within the two weeks that it compares. Sums up what is left of the week first:
 * the job of the minutes may be behind.
 */
export async function queueWeeklyReport(db: Db, env: ReportEnv, now: number): Promise<void> {
  const monday = mondayOf(salesDayOf(now));
  const [last] = await db.select().from(rollups).where(eq(rollups.name, WEEKLY_REPORT_ROLLUP));
  if (last && last.upToId >= monday) return;
  const { report_emails } = await readSiteSettings(db, {});
  const addresses = new Map(report_emails.toReversed().map((one) => [emailKey(one), one]));
  if (addresses.size > 0) await rollUpSpending(db);
  const emails = addresses.size === 0 ? [] : await makeEmails(db, env, addresses, monday, now);
  try {
    await db.batch([
      db.insert(rollups).values({ name: WEEKLY_REPORT_ROLLUP, upToId: 0 }).onConflictDoNothing(),
      // NULL, which the column refuses and which stops the batch, if another run was faster.
      db
        .update(rollups)
        .set({ upToId: sql`iif(${rollups.upToId} < cast(${monday} as integer), cast(${monday} as integer), null)` })
        .where(eq(rollups.name, WEEKLY_REPORT_ROLLUP)),
      ...emails.map((email) => queueEmail(db, email)),
    ]);
  } catch (error) {
    if (!violates(error, "rollups.up_to_id")) throw error;
  }
}

async function makeEmails(db: Db, env: ReportEnv, addresses: Map<string, string>, monday: number, now: number) {
  const week = { from: monday - 7, to: monday - 1 };
  const [byService, byProvider] = await Promise.all([
    readReport(db, queryOf("service", week), now, SERVICES_NAMED),
    readReport(db, queryOf("provider", week), now),
  ]);
  const { total, rows: services } = byService;
  if (total.now.orders + total.before.orders === 0) return [];
  const figures = { total, services, providers: byProvider.rows };
  return Promise.all(
    [...addresses].map(([folded, to]) => {
      // A digest, because the email API sees the id.
      const id = sha256(`report ${isoWeekOf(monday - 7)} ${folded}`);
      return makeEmail(env, "report", weeklyReportEmail(to, env.PUBLIC_ORIGIN ?? "", week, figures), { id });
    }),
  );
}

function queryOf(by: "service" | "provider", period: Period): ReportQuery {
  const sort = { key: "revenue", descending: true } as const;
  return { by, period, against: "before", compared: daysBefore(period), sort, sorts: [] };
}

/** Returns the Monday of a day's week. January 1, 1970 was a Thursday. */
function mondayOf(day: number): number {
  return day - ((day + 3) % 7);
}

/** Returns the ISO week that begins on a Monday, such as "2026-W53". It is of the year that its Thursday is in. */
export function isoWeekOf(monday: number): string {
  const thursday = new Date((monday + 3) * 24 * 60 * 60 * 1000);
  const year = thursday.getUTCFullYear();
  const day = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (24 * 60 * 60 * 1000));
  return `${year}-W${String(Math.floor(day / 7) + 1).padStart(2, "0")}`;
}
