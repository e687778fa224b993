import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import { type Actor, audit } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import type { AuditAction } from "#app/db/schema/audit-vocabulary.ts";
import { orders, providerWords, type TaughtKind, unreadAnswers } from "#app/db/schema.server.ts";
import { isFinal } from "#app/orders/rules/order-status.ts";
import { isMeaningOf, type Rule } from "./choices.server.ts";
import { previewRule, type RulePreview, type Speaker } from "./rule-preview.server.ts";

/** Words that staff teach for a provider. Teaching changes no order and no wallet: the next answers are read with them. */

/** All of them are read with each round of a provider. */
const MAX_TAUGHT = 500;

export type AskedRule = { kind: TaughtKind; key: string; meaning: string };
export type TeachRefusal =
  /** Nobody has seen the word, or someone taught it meanwhile. */
  | "gone"
  | "too_many"
  /** What it would do is not what was shown. */
  | "changed";
export type Taught = { ok: true; rule: Rule; onlyOrderId: number | null };
type Refused<Reason> = { ok: false; reason: Reason; preview: RulePreview | null };

/** Returns what teaching an unread word would do, or null if it isn't among the unread ones or can't mean that. */
export async function previewUnread(db: Db, provider: Speaker, asked: AskedRule): Promise<RulePreview | null> {
  const { kind, key, meaning } = asked;
  if (!isMeaningOf(kind, meaning)) return null;
  const isTaught = (provider.taught ?? []).some((one) => one.kind === kind && one.key === key);
  const [unread] = await db
    .select({ word: unreadAnswers.word })
    .from(unreadAnswers)
    .where(isUnread(provider.id, asked));
  return unread && !isTaught ? previewRule(db, provider, { kind, key, word: unread.word, meaning }) : null;
}

/** Stores a rule, if its preview is still the one that was shown. `requireProof` throws for a large one without a proof. */
export async function teachWord(
  db: Db,
  actor: Actor,
  provider: Speaker,
  { digest, ...asked }: AskedRule & { digest: string },
  requireProof: () => void,
): Promise<Taught | Refused<TeachRefusal>> {
  const preview = await previewUnread(db, provider, asked);
  if (!preview) return { ok: false, reason: "gone", preview: null };
  if (preview.digest !== digest) return { ok: false, reason: "changed", preview };
  if ((provider.taught ?? []).length >= MAX_TAUGHT) return { ok: false, reason: "too_many", preview };
  const { rule, tryOn: onlyOrderId } = preview;
  if (onlyOrderId !== null) requireProof();
  try {
    await db.batch([
      db.insert(providerWords).values({ providerId: provider.id, ...rule, onlyOrderId, createdAt: Date.now() }),
      db.delete(unreadAnswers).where(isUnread(provider.id, rule)),
      audit(db, actor, {
        action: "provider.teach",
        subject: "provider",
        subjectId: provider.id,
        detail: { ...audited(rule), ...(onlyOrderId !== null && { onlyOrderId }), ...expected(preview) },
      }),
    ]);
    return { ok: true, rule, onlyOrderId };
  } catch (error) {
    if (violates(error, "provider_words.provider_id")) return { ok: false, reason: "gone", preview: null };
    throw error;
  }
}

export type TaughtRow = typeof providerWords.$inferSelect;

/** What became of the order that a rule is tried on. `waiting`: its provider's next answer is not read yet. */
export type Trial = {
  orderId: number;
  outcome: "waiting" | "ended" | "goes_on" | "held";
  status: string;
  refunded: number;
};

export async function readTrial(db: Db, orderId: number): Promise<Trial | null> {
  const { status, refunded, fulfillment, heldFor, unreadableSince } = orders;
  const [order] = await db
    .select({ status, refunded, fulfillment, heldFor, unreadableSince })
    .from(orders)
    .where(eq(orders.id, orderId));
  if (!order) return null;
  const isRead = order.fulfillment === "accepted" && order.unreadableSince === 0;
  const outcome = isFinal(order.status)
    ? "ended"
    : isRead
      ? "goes_on"
      : order.heldFor === "no_remains"
        ? "held"
        : "waiting";
  return { orderId, outcome, status: order.status, refunded: order.refunded };
}

/** Applies a rule that was tried on one order to all of them, if what that would do is still what was shown. */
export async function applyToRest(
  db: Db,
  actor: Actor,
  provider: Speaker,
  { wordId, digest }: { wordId: number; digest: string },
): Promise<{ ok: true; word: string } | { ok: false; reason: "gone" | "not_tried" | "changed" }> {
  const row = await readWord(db, provider.id, wordId);
  if (!row || row.onlyOrderId === null) return { ok: false, reason: "gone" };
  const trial = await readTrial(db, row.onlyOrderId);
  if (!trial || trial.outcome === "waiting") return { ok: false, reason: "not_tried" };
  const preview = await previewRule(db, provider, ruleOf(row));
  if (preview.digest !== digest) return { ok: false, reason: "changed" };
  const isTried = and(isWord(provider.id, wordId), isNotNull(providerWords.onlyOrderId));
  const detail = { ...audited(row), triedOn: row.onlyOrderId, ...expected(preview) };
  const isDone = await ifStillThere(() =>
    db.batch([
      auditWord(db, actor, { action: "provider.apply_word", of: isTried, detail }),
      db.update(providerWords).set({ onlyOrderId: null }).where(isTried),
      // Other orders may have had it while it was tried on one.
      db.delete(unreadAnswers).where(isUnread(provider.id, row)),
    ]),
  );
  return isDone ? { ok: true, word: row.word } : { ok: false, reason: "gone" };
}

/** Removes a rule. What was read with it stays as it is, and so does what was refunded. */
export async function undoWord(
  db: Db,
  actor: Actor,
  providerId: number,
  wordId: number,
): Promise<{ ok: true; word: string } | { ok: false; reason: "gone" }> {
  const row = await readWord(db, providerId, wordId);
  if (!row) return { ok: false, reason: "gone" };
  const of = isWord(providerId, wordId);
  const isDone = await ifStillThere(() =>
    db.batch([
      auditWord(db, actor, { action: "provider.undo_word", of, detail: audited(row) }),
      db.delete(providerWords).where(of),
    ]),
  );
  return isDone ? { ok: true, word: row.word } : { ok: false, reason: "gone" };
}

/** Returns the entry about a row. It fails the batch if someone changed the row or removed it meanwhile. */
function auditWord(
  db: Db,
  actor: Actor,
  { action, of, detail }: { action: AuditAction; of: SQL | undefined; detail: Record<string, unknown> },
) {
  // NULL, which the audit log refuses, without such a row.
  const subjectId = sql<string>`(select cast(provider_id as text) from ${providerWords} where ${of})`;
  return audit(db, actor, { action, subject: "provider", subjectId, detail });
}

async function ifStillThere(run: () => Promise<unknown>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    if (violates(error, "audit_log.subject_id")) return false;
    throw error;
  }
}

async function readWord(db: Db, providerId: number, wordId: number): Promise<TaughtRow | undefined> {
  const [row] = await db.select().from(providerWords).where(isWord(providerId, wordId));
  return row;
}

function isWord(providerId: number, wordId: number) {
  return and(eq(providerWords.id, wordId), eq(providerWords.providerId, providerId));
}

function isUnread(providerId: number, { kind, key }: Pick<Rule, "kind" | "key">) {
  const { providerId: provider, kind: kinds, key: keys } = unreadAnswers;
  return and(eq(provider, providerId), eq(kinds, kind), eq(keys, key));
}

export function ruleOf({ kind, key, word, meaning }: Rule): Rule {
  return { kind, key, word, meaning };
}

/** What an entry says about a rule. */
function audited({ kind, word, meaning }: Rule) {
  return { kind, word, meaning };
}

/** What a preview said. */
function expected({ closes, refund }: RulePreview) {
  return { ...(closes > 0 && { closes }), ...(refund > 0 && { refund }) };
}
