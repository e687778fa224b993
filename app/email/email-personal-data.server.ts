import { desc, eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { isoTime } from "#app/db/iso-time.ts";
import { emails } from "#app/db/schema.server.ts";

/** Exports the emails of the last weeks that are about the account, without their contents. Times are ISO 8601. */
export async function exportEmails(db: Db, userId: string) {
  const rows = await db
    .select({
      recipient: emails.recipient,
      kind: emails.kind,
      status: emails.status,
      createdAt: emails.createdAt,
      finishedAt: emails.finishedAt,
    })
    .from(emails)
    .where(eq(emails.userId, userId))
    .orderBy(desc(emails.createdAt));
  return rows.map((row) => ({ ...row, createdAt: isoTime(row.createdAt), finishedAt: isoTime(row.finishedAt) }));
}

/** Deletes the emails about the account. Those still queued are not sent. */
export async function deleteEmails(db: Db, userId: string): Promise<void> {
  await db.delete(emails).where(eq(emails.userId, userId));
}
