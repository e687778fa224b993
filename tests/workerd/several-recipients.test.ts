import { env } from "cloudflare:workers";
import { beforeEach, expect, test, vi } from "vitest";
import { submitSetting } from "#app/console/settings/site-settings-form.server.ts";
import { connectSupport } from "#app/db/db.server.ts";
import { supportMentions, supportNotes, supportSessions } from "#app/db/schema/support-tables.server.ts";
import { alerts, emails, salesDays, salesDayTotals, settings } from "#app/db/schema.server.ts";
import { queueMention } from "#app/email/queue-email.server.ts";
import { type Check, CLEAR_AFTER_MS } from "#app/monitoring/alerts/alert-changes.ts";
import { alertRows, applyChecks, selectOpenAlerts } from "#app/monitoring/alerts/alerts.server.ts";
import { queueWeeklyReport } from "#app/orders/reports/weekly-report.server.ts";
import { emailMentions, MENTION_UNREAD_MS } from "#app/support/email/mention-mailer.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db, service } from "./customer.ts";
import { withoutDispatcher } from "./email-api.ts";
import { fillInbox } from "./inbox-fill.ts";
import { sandboxProvider } from "./sandbox-service.ts";
import { storedSignIn } from "./signed-in-account.ts";

/** A night of a Monday. */
const NOW = Date.UTC(2026, 10, 23, 3, 17);
const [FIRST, SECOND, THIRD] = ["first@test.example", "second@test.example", "third@test.example"] as const;
const ALL = [FIRST, SECOND, THIRD];
const SITE = withoutDispatcher({
  ...env,
  PUBLIC_ORIGIN: "https://growline.example",
  ALERT_EMAIL: `${FIRST}, ${SECOND}`,
});

beforeEach(async () => {
  for (const table of [alerts, emails, settings]) await db.delete(table);
  for (const [name, value] of [
    ["alert_emails", [THIRD]],
    ["report_emails", ALL],
  ] as const) {
    await db.insert(settings).values({ name, value: [...value], version: 1, changedBy: "staff", changedAt: 0 });
  }
  vi.spyOn(console, "log").mockImplementation(() => {});
});

/** What several people are emailed of: causes the emails, and returns who should get one, each as often. */
const CAUSES: Record<string, () => Promise<string[]>> = {
  "the beginning of an alert": async () => {
    await applyChecks(db, SITE, [], [failing("nightly")], NOW);
    return ALL;
  },
  "the beginnings of two alerts": async () => {
    await applyChecks(db, SITE, [], [failing("nightly", "minute")], NOW);
    return [...ALL, ...ALL];
  },
  "the end of an alert": async () => {
    await applyChecks(db, SITE, [], [failing("nightly")], NOW);
    for (const at of [NOW + 1, NOW + 1 + CLEAR_AFTER_MS]) {
      await applyChecks(db, SITE, alertRows(await selectOpenAlerts(db, at)), [failing()], at);
    }
    return [...ALL, ...ALL];
  },
  "the report of a week": async () => {
    const [day, providerId] = [Math.floor(NOW / DAY_MS) - 5, await sandboxProvider()];
    const sums = { orders: 1, charged: 10, refunds: 0, refunded: 0, cost: 3, costed: 1 };
    const serviceId = await service({ providerId, providerServiceId: "1" });
    await db.insert(salesDays).values({ day, serviceId, providerId, ...sums });
    await db.insert(salesDayTotals).values({ day, ...sums });
    for (let time = 0; time < 2; time++) await queueWeeklyReport(db, SITE, NOW);
    return ALL;
  },
  "a change of who gets alerts": async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ value: "fourth@test.example", version: "1" })) form.set(name, value);
    const by = { userId: "admin", name: "Al Admin" };
    await submitSetting({ db, env: SITE, waitUntil: () => {} }, by, "alert_emails", form);
    return ALL;
  },
  "a note that mentions them, and the next one": async () => {
    const team = [await storedSignIn("agent"), await storedSignIn("agent"), await storedSignIn("admin")];
    const supportDb = connectSupport(env.DB_SUPPORT);
    await fillInbox(env.DB_SUPPORT, { conversations: 1, messagesEach: 1, agents: ["agent"] });
    const [{ sessionId = "" } = {}] = await supportDb.select().from(supportSessions).limit(1);
    for (const no of [1, 2]) {
      const createdAt = NOW - 2 * MENTION_UNREAD_MS + no;
      const note = { sessionId, no, authorId: "author", authorName: "Bo", body: "Look", createdAt };
      await supportDb.insert(supportNotes).values(note);
      for (const { userId } of team) {
        await supportDb.insert(supportMentions).values({ sessionId, noteNo: no, agentId: userId, createdAt });
      }
    }
    for (let time = 0; time < 2; time++) {
      await emailMentions(supportDb, (email, of) => queueMention(db, SITE, email, of), {
        now: NOW,
        origin: "https://growline.example",
      });
    }
    return [...team, ...team].map(({ email }) => email);
  },
};

test.for(Object.keys(CAUSES))("emails each of several people about %s", async (name) => {
  const expected = (await CAUSES[name]?.()) ?? [];
  expect(new Set(expected).size).toBe(3);
  const queued = await db.select({ to: emails.recipient }).from(emails);
  expect(queued.map(({ to }) => to).toSorted()).toEqual(expected.toSorted());
});

function failing(...jobs: string[]): Check {
  const facts = { since: NOW, failures: null, error: "no" };
  return { condition: "job_failed", readings: jobs.map((subject) => ({ condition: "job_failed", subject, facts })) };
}
