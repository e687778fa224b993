import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { gmailSyncStatus } from "#app/db/schema.server.ts";
import { wakeForDueMailboxes } from "#app/gmail/sync/wake-gmail-dispatcher.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";

test("works off due mailboxes when it is woken, and leaves the others alone", async () => {
  // Without a connection, a sync ends before it calls Google and takes the mailbox off the schedule.
  const due = Array.from({ length: 12 }, () => someone());
  const later = someone();
  for (const owner of due) await db.insert(gmailSyncStatus).values({ ...owner, nextSyncAt: 1 });
  const inAnHour = Date.now() + 60 * 60_000;
  await db.insert(gmailSyncStatus).values({ ...later, nextSyncAt: inAnHour });
  await wakeForDueMailboxes(db, env);
  await vi.waitUntil(async () => (await db.$count(gmailSyncStatus, eq(gmailSyncStatus.nextSyncAt, 1))) === 0, {
    timeout: 90_000,
    interval: 50,
  });
  const left = await db.select().from(gmailSyncStatus).where(eq(gmailSyncStatus.userId, later.userId));
  expect(left).toMatchObject([{ nextSyncAt: inAnHour }]);
});
