import { and, eq, isNotNull, isNull, lt, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { cutText } from "#app/cut-text.ts";
import { type Actor, audit, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { deleteInChunks } from "#app/db/delete-in-chunks.server.ts";
import { emailSuppressions, emails, type SuppressionReason } from "#app/db/schema.server.ts";
import { emailKey, lookupEmail } from "#app/email-address.ts";
import { DAY_MS } from "#app/time.ts";

/** The email API reports an event for days if it can't reach us. */
const LIFTED_RETENTION_MS = 30 * DAY_MS;
export const MAX_DETAIL_CHARACTERS = 300;

/** Returns the same digest for two spellings of one address. */
export function addressDigest(address: string): string {
  return sha256(emailKey(address));
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
    emailAddress: ifKnown(lookupEmail(address)),
    reason,
    detail: ifKnown(detail === null ? null : cutText(detail, MAX_DETAIL_CHARACTERS)),
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

/** `current` was suppressed after the one that was seen was lifted. */
export type Lifted =
  | { ok: true }
  | { ok: false; current: Pick<typeof emailSuppressions.$inferSelect, "reason" | "createdAt"> | null };

/** Lets an address get emails again, if it is still suppressed for what was seen: `seenAt` is when that happened. */
export async function liftSuppression(
  db: Db,
  actor: Actor,
  { digest, seenAt }: { digest: string; seenAt: number },
  reason: string,
): Promise<Lifted> {
  const { addressDigest, createdAt, liftedAt } = emailSuppressions;
  const [active] = await db
    .select()
    .from(emailSuppressions)
    .where(and(eq(addressDigest, digest), isNull(liftedAt)));
  if (active?.createdAt !== seenAt) return { ok: false, current: active ?? null };
  // Names the suppression, so that two members of the team who lift it at the same time leave one entry.
  const onceKey = `email.allow ${digest} ${seenAt}`;
  const detail = { suppressed: active.reason, reason };
  // The column gets NULL for another one, which it refuses, and with it the entry.
  const seen = sql`iif(${createdAt} = ${seenAt} and ${liftedAt} is null, ${createdAt}, null)`;
  try {
    await db.batch([
      db.update(emailSuppressions).set({ liftedAt: Date.now(), createdAt: seen }).where(eq(addressDigest, digest)),
      audit(db, actor, { action: "email.allow", subject: "email", subjectId: digest, detail, onceKey }),
    ]);
    return { ok: true };
  } catch (error) {
    if (isRepeat(error) || violates(error, "email_suppressions.created_at")) return { ok: false, current: null };
    throw error;
  }
}

export async function deleteLiftedSuppressions(db: Db): Promise<void> {
  const { liftedAt } = emailSuppressions;
  await deleteInChunks(db, emailSuppressions, and(isNotNull(liftedAt), lt(liftedAt, Date.now() - LIFTED_RETENTION_MS)));
}
