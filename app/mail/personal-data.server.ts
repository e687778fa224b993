import { eq } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { gmailMessages, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";

/** What the mail tables hold on the person, less tokens. Times in ms. */
export async function exportMail(db: Db, userId: string) {
  const [connections, status, messages] = await db.batch([
    db
      .select({ emailAddress: gmailTokens.emailAddress, scope: gmailTokens.scope, createdAt: gmailTokens.createdAt })
      .from(gmailTokens)
      .where(eq(gmailTokens.userId, userId)),
    db
      .select({ lastSyncAt: gmailSyncStatus.lastSyncAt, totalMessages: gmailSyncStatus.totalMessages })
      .from(gmailSyncStatus)
      .where(eq(gmailSyncStatus.userId, userId)),
    db
      .select({
        id: gmailMessages.id,
        from: gmailMessages.fromEmail,
        subject: gmailMessages.subject,
        snippet: gmailMessages.snippet,
        date: gmailMessages.internalDate,
      })
      .from(gmailMessages)
      .where(eq(gmailMessages.userId, userId)),
  ]);
  return { connections, status: status[0] ?? null, messages };
}

/** May be repeated. */
export async function eraseMail(db: Db, userId: string): Promise<void> {
  await db.batch([
    db.delete(gmailTokens).where(eq(gmailTokens.userId, userId)),
    db.delete(gmailMessages).where(eq(gmailMessages.userId, userId)),
    db.delete(gmailSyncStatus).where(eq(gmailSyncStatus.userId, userId)),
  ]);
}
