import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, isNotNull, isNull, ne, type SQLWrapper, sql } from "drizzle-orm";
import { seal, unseal } from "#app/crypto/seal.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { type EmailKind, emails, profiles, users } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import { HOUR_MS, MINUTE_MS } from "#app/time.ts";
import { readConfirmedEmail } from "./confirmed-email.server.ts";
import type { Email } from "./send-email.server.ts";

/**
 * How long an email of each kind is worth sending. A link arrives while it is still valid, with time to follow it. At most
 * 24 hours, because the email API forgets an idempotency key then; an alert longer, because it is better doubled than lost.
 */
const USEFUL_MS: Record<EmailKind, number> = {
  password_reset: 50 * MINUTE_MS,
  password_changed: 24 * HOUR_MS,
  email_verification: 24 * HOUR_MS,
  address_confirmation: 23 * HOUR_MS,
  address_change_notice: 24 * HOUR_MS,
  new_device: 24 * HOUR_MS,
  factor_notice: 24 * HOUR_MS,
  staff_setup: 23 * HOUR_MS,
  address_changed: 24 * HOUR_MS,
  unread_replies: 24 * HOUR_MS,
  files_not_taken: 24 * HOUR_MS,
  transcript: 24 * HOUR_MS,
  mention: 24 * HOUR_MS,
  alert: 72 * HOUR_MS,
  report: 24 * HOUR_MS,
};

/** D1 stores at most 2,000,000 bytes in a row. */
const MAX_SEALED_CHARACTERS = 1_900_000;

type SealEnv = Pick<Env, "ENCRYPTION_KEYS">;
type NewEmail = typeof emails.$inferInsert & { id: string };
type Content = Omit<Email, "to">;

/** Returns the row of an email. `id`: at most one email with it is ever queued. Throws if the email is too long. */
export async function makeEmail(
  env: SealEnv,
  kind: EmailKind,
  { to, ...content }: Email,
  { userId = null, id = crypto.randomUUID() }: { userId?: string | null; id?: string } = {},
): Promise<NewEmail> {
  const now = Date.now();
  const sealedContent = await seal(env.ENCRYPTION_KEYS, emailContext(id), JSON.stringify(content satisfies Content));
  if (sealedContent.length > MAX_SEALED_CHARACTERS) throw new Error("the email is too long");
  return {
    id,
    userId,
    recipient: to,
    kind,
    sealedContent,
    nextAttemptAt: now,
    expiresAt: now + USEFUL_MS[kind],
    createdAt: now,
  };
}

/** Returns the statement that queues an email. Put it in the batch of what causes the email. */
export function queueEmail(db: Db, email: NewEmail) {
  return db.insert(emails).values(email).onConflictDoNothing();
}

/**
 * Returns the statements that queue an email to the account whose id `owner` selects, and none if it selects nothing.
 * They write in both cases, so that the time they take does not show whether there is an account.
 */
export function queueEmailToAccount(db: Db, email: NewEmail, owner: SQLWrapper) {
  const address = sql`(select ${users.email} from ${users} where ${users.id} in (${owner}))`;
  return [
    db.insert(emails).values({ ...email, userId: sql`(${owner})`, recipient: sql`coalesce(${address}, '')` }),
    db.delete(emails).where(and(eq(emails.id, email.id), isNull(emails.userId))),
  ] as const;
}

/** Returns the statement that withdraws the account's queued emails of a kind, because a newer one replaces them. */
export function withdrawEmails(db: Db, kind: EmailKind, owner: SQLWrapper) {
  return db
    .delete(emails)
    .where(and(sql`${emails.userId} in (${owner})`, eq(emails.kind, kind), eq(emails.status, "queued")));
}

/**
 * Queues the email about unread replies, at most once per `onceKey`, and has it sent. An account gets it at its confirmed
 * address, whatever address its chat has. Returns false if there is none.
 */
export async function queueUnreadReplies(
  db: Db,
  env: SealEnv & Pick<Env, "EMAIL_DISPATCHER">,
  email: Email,
  { userId, onceKey, replyTo }: { userId: string | null; onceKey: string; replyTo?: (recipient: string) => string },
): Promise<boolean> {
  const to = userId === null ? email.to : await readConfirmedEmail(db, userId);
  if (to === null) return false;
  // A digest, because the email API sees the id.
  const id = sha256(`unread_replies ${onceKey}`);
  await queueEmail(
    db,
    await makeEmail(env, "unread_replies", { ...email, to, ...(replyTo && { replyTo: replyTo(to) }) }, { userId, id }),
  );
  await wakeEmailDispatcher(env);
  return true;
}

/**
 * Queues the email about a mention in a team note to a member of the team, at most once per `onceKey`, and has it sent.
 * Does nothing for somebody who has left the team or hasn't confirmed an address.
 */
export async function queueMention(
  db: Db,
  env: SealEnv & Pick<Env, "EMAIL_DISPATCHER">,
  email: Content,
  { userId, onceKey }: { userId: string; onceKey: string },
): Promise<void> {
  const [member] = await db
    .select({ email: users.email })
    .from(users)
    .innerJoin(profiles, eq(profiles.userId, users.id))
    .where(
      and(
        eq(users.id, userId),
        ne(profiles.role, "customer"),
        isNull(users.suspendedAt),
        isNotNull(users.emailConfirmedAt),
      ),
    );
  if (!member) return;
  const id = sha256(`mention ${onceKey}`);
  await queueEmail(db, await makeEmail(env, "mention", { ...email, to: member.email }, { userId, id }));
  await wakeEmailDispatcher(env);
}

/** Sends what is queued, after our response. Cron does it if this is cut off. */
export function sendQueuedSoon({ env, waitUntil }: Pick<AppLoadContext, "env" | "waitUntil">): void {
  waitUntil(runLogged("email dispatcher not woken", {}, () => wakeEmailDispatcher(env)));
}

/** Wakes the dispatcher, and returns what a round of it has just failed with, or null. */
export function wakeEmailDispatcher(env: Pick<Env, "EMAIL_DISPATCHER">): Promise<string | null> {
  // One object, because the email API limits the rate of the whole site.
  return env.EMAIL_DISPATCHER.getByName("emails").wake("emails");
}

/** Decrypts what `makeEmail` sealed. Throws if the key is missing. */
export async function openContent(env: SealEnv, id: string, sealed: string): Promise<Content> {
  return JSON.parse(await unseal(env.ENCRYPTION_KEYS, emailContext(id), sealed)) as Content;
}

/** Binds a sealed email to its row. */
export function emailContext(id: string): string {
  return `email:${id}`;
}
