import { and, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { emailSuppressions, emails, type SuppressionReason } from "#app/db/schema.server.ts";

/** The email API reports an event for days if it can't reach us. */
const LIFTED_RETENTION_MS = 30 * 24 * 60 * 60_000;
export const MAX_DETAIL_CHARACTERS = 300;

export function addressDigest(address: string): string {
  return sha256(address.trim().toLowerCase());
}

type Suppression = {
  address: string;
  /** The email that it is about, if that was ours. Once its row is deleted, with an account, only a digest is kept. */
  emailId?: string | undefined;
  reason: SuppressionReason;
  detail: string | null;
  at: number;
};

/**
 * Returns the statement that suppresses an address, because of something that happened at `at`. A repeat changes nothing,
 * nor does an event from before staff allowed the address again.
 */
export function suppress(db: Db, { address, emailId, reason, detail, at }: Suppression) {
  const ifKnown = (text: string | null) =>
    emailId === undefined
      ? text
      : sql<string | null>`iif(exists (select 1 from ${emails} where ${emails.id} = ${emailId}), ${text}, null)`;
  const row = {
    emailAddress: ifKnown(address.trim()),
    reason,
    detail: ifKnown(detail?.slice(0, MAX_DETAIL_CHARACTERS) ?? null),
    createdAt: at,
    liftedAt: null,
  };
  return db
    .insert(emailSuppressions)
    .values({ addressDigest: addressDigest(address), ...row })
    .onConflictDoUpdate({
      target: emailSuppressions.addressDigest,
      set: row,
      setWhere: sql`${emailSuppressions.liftedAt} < excluded.created_at`,
    });
}

/** Returns the digests of those addresses that are suppressed. */
export async function suppressedAmong(db: Db, addresses: string[]): Promise<Set<string>> {
  const digests = JSON.stringify(addresses.map(addressDigest));
  const rows = await db
    .select({ digest: emailSuppressions.addressDigest })
    .from(emailSuppressions)
    .where(
      and(
        sql`${emailSuppressions.addressDigest} in (select value from json_each(${digests}))`,
        isNull(emailSuppressions.liftedAt),
      ),
    );
  return new Set(rows.map(({ digest }) => digest));
}

export async function isSuppressed(db: Db, address: string): Promise<boolean> {
  return (await suppressedAmong(db, [address])).size > 0;
}

/** Lets an address get emails again. Returns false if it is not suppressed. */
export async function liftSuppression(db: Db, actor: Actor, digest: string, reason: string): Promise<boolean> {
  const isActive = and(eq(emailSuppressions.addressDigest, digest), isNull(emailSuppressions.liftedAt));
  const [active] = await db.select().from(emailSuppressions).where(isActive);
  if (!active) return false;
  // Names the suppression, so that two members of the team who lift it at the same time leave one entry.
  const onceKey = `email.allow ${digest} ${active.createdAt}`;
  const detail = { suppressed: active.reason, reason };
  try {
    await db.batch([
      db.update(emailSuppressions).set({ liftedAt: Date.now() }).where(isActive),
      audit(db, actor, { action: "email.allow", subject: "email", subjectId: digest, detail, onceKey }),
    ]);
    return true;
  } catch (error) {
    if (isRepeat(error)) return false;
    throw error;
  }
}

export async function deleteLiftedSuppressions(db: Db): Promise<void> {
  const { liftedAt } = emailSuppressions;
  await deleteInChunks(db, emailSuppressions, and(isNotNull(liftedAt), lt(liftedAt, Date.now() - LIFTED_RETENTION_MS)));
}
