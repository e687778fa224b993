import { and, asc, eq, gt } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { exportedColumns, exportedRows } from "#app/db/exported-columns.server.ts";
import { gmailMessages, gmailOauthStates, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { revokeStoredTokens, type TokenEnv } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { accountOwner } from "#app/gmail/tokens/mailbox-owner.server.ts";

const EXPORTED_AT_ONCE = 1000;

/** Exports what the Gmail tables hold about a person, as `exportedColumns` writes it. */
export async function exportGmail(db: Db, userId: string) {
  const [connections, [status]] = await db.batch([
    exportedRows(db, gmailTokens, userId),
    exportedRows(db, gmailSyncStatus, userId),
  ]);
  const messages: Awaited<ReturnType<typeof messagesAfter>> = [];
  for (;;) {
    const page = await messagesAfter(db, userId, messages.at(-1)?.id ?? "");
    messages.push(...page);
    if (page.length < EXPORTED_AT_ONCE) break;
  }
  return { connections, status: status ?? null, messages };
}

function messagesAfter(db: Db, userId: string, id: string) {
  return db
    .select(exportedColumns(gmailMessages))
    .from(gmailMessages)
    .where(and(eq(gmailMessages.userId, userId), eq(gmailMessages.ownerDigest, ""), gt(gmailMessages.id, id)))
    .orderBy(asc(gmailMessages.id))
    .limit(EXPORTED_AT_ONCE);
}

/** Deletes everything read from the mailbox. The tokens stay until `deleteGmailTokens`. Repeatable. */
export async function deleteGmailData(db: Db, userId: string): Promise<void> {
  await db.batch([
    db.delete(gmailSyncStatus).where(eq(gmailSyncStatus.userId, userId)),
    db.delete(gmailMessages).where(eq(gmailMessages.userId, userId)),
    db.delete(gmailOauthStates).where(eq(gmailOauthStates.userId, userId)),
  ]);
}

/** Revokes the tokens at Google, then deletes them. If Google can't be reached, throws GoogleAway and keeps the row. */
export async function deleteGmailTokens(db: Db, env: TokenEnv, userId: string): Promise<void> {
  await revokeStoredTokens(db, env, accountOwner(userId));
  await db.delete(gmailTokens).where(eq(gmailTokens.userId, userId));
}
