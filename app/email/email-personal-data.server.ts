import { and, desc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { exportedColumns, exportedRows } from "#app/db/exported-columns.server.ts";
import { auditLog, emailSuppressions, emails, users } from "#app/db/schema.server.ts";
import { addressDigest } from "./suppressions.server.ts";

/**
 * Exports the emails of the last weeks that are about the account, without their contents, and whether its address is
 * suppressed.
 */
export async function exportEmails(db: Db, userId: string) {
  const digest = addressDigest(await readAddress(db, userId));
  const [recent, suppressed] = await db.batch([
    exportedRows(db, emails, userId).orderBy(desc(emails.createdAt)),
    db
      .select(exportedColumns(emailSuppressions))
      .from(emailSuppressions)
      .where(eq(emailSuppressions.addressDigest, digest)),
  ]);
  return { recent, suppressed };
}

/**
 * Deletes the emails about the account; those still queued are not sent. A suppression of its address, or of another one
 * that it had lately, stays as a digest, and the audit entries about it lose their reasons. Repeatable until the account
 * itself is deleted.
 */
export async function deleteEmails(db: Db, userId: string): Promise<void> {
  const addresses = [await readAddress(db, userId), ...(await listOtherRecipients(db, userId))];
  const digests = sql`(select value from json_each(${JSON.stringify(addresses.map(addressDigest))}))`;
  await db.batch([
    db.delete(emails).where(eq(emails.userId, userId)),
    db
      .update(emailSuppressions)
      .set({ emailAddress: null, detail: null })
      .where(inArray(emailSuppressions.addressDigest, digests)),
    db
      .update(auditLog)
      .set({ detail: sql`json_remove(${auditLog.detail}, '$.reason')` })
      .where(and(eq(auditLog.subjectType, "email"), inArray(auditLog.subjectId, digests))),
  ]);
}

/** Lists the addresses that emails about the account went to and that no account has. */
async function listOtherRecipients(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ recipient: emails.recipient })
    .from(emails)
    .leftJoin(users, eq(users.email, emails.recipient))
    .where(and(eq(emails.userId, userId), isNull(users.id)));
  return rows.map(({ recipient }) => recipient);
}

/** Returns the account's address, or an empty text if the account is already deleted. */
async function readAddress(db: Db, userId: string): Promise<string> {
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId));
  return user?.email ?? "";
}
