import { desc, eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { providers, providerWords, type TaughtKind, type UnreadKind, unreadAnswers } from "#app/db/schema.server.ts";
import { IS_TAUGHT, TAUGHT_WORDS } from "#app/orders/providers/dialect.server.ts";
import { CHOICES, type Choice, saysOf } from "./choices.server.ts";
import { previewRule, type RulePreview, type Speaker } from "./rule-preview.server.ts";
import { readTrial, ruleOf, type Trial } from "./taught-words.server.ts";

const UNREAD_SHOWN = 30;
const TAUGHT_SHOWN = 100;
const ANSWER_CHARACTERS = 2000;

export type UnreadRow = {
  kind: UnreadKind;
  key: string;
  word: string;
  orderId: number | null;
  seen: number;
  firstSeenAt: number;
  lastSeenAt: number;
  /** The kept answer about the last order, as text. Null: none is kept. */
  answer: string | null;
};

export type TaughtWordRow = {
  id: number;
  kind: TaughtKind;
  word: string;
  says: string;
  createdAt: number;
  /** While it is tried on one order: what became of that, and what the rule would do to the others. */
  trial: (Trial & { rest: RulePreview }) | null;
};

export type Teaching = {
  unread: UnreadRow[];
  hasMoreUnread: boolean;
  choices: Record<TaughtKind, Choice[]>;
  taught: TaughtWordRow[];
  hasMoreTaught: boolean;
};

export async function readSpeaker(db: Db, providerId: number): Promise<Speaker | null> {
  const [found] = await db
    .select({ id: providers.id, convention: providers.convention, taught: TAUGHT_WORDS })
    .from(providers)
    .where(eq(providers.id, providerId))
    .limit(1);
  return found ?? null;
}

/** Reads what could not be read of a provider's answers, the newest first, and what staff taught. Null: no such provider. */
export async function readTeaching(db: Db, providerId: number): Promise<Teaching | null> {
  const [provider, unread, words] = await Promise.all([
    readSpeaker(db, providerId),
    readUnread(db, providerId),
    db
      .select()
      .from(providerWords)
      .where(eq(providerWords.providerId, providerId))
      .orderBy(desc(providerWords.id))
      .limit(TAUGHT_SHOWN + 1),
  ]);
  if (!provider) return null;
  const taught = words.slice(0, TAUGHT_SHOWN).map((row) => taughtRow(db, provider, row));
  return {
    unread: unread.slice(0, UNREAD_SHOWN),
    hasMoreUnread: unread.length > UNREAD_SHOWN,
    choices: CHOICES,
    taught: await Promise.all(taught),
    hasMoreTaught: words.length > TAUGHT_SHOWN,
  };
}

async function taughtRow(db: Db, provider: Speaker, row: typeof providerWords.$inferSelect): Promise<TaughtWordRow> {
  const { id, kind, word, meaning, onlyOrderId, createdAt } = row;
  const trial = onlyOrderId === null ? null : await readTrial(db, onlyOrderId);
  const rest = trial && (await previewRule(db, provider, ruleOf(row)));
  return { id, kind, word, says: saysOf(kind, meaning), createdAt, trial: trial && rest && { ...trial, rest } };
}

function readUnread(db: Db, providerId: number): Promise<UnreadRow[]> {
  const { kind, key, word, orderId, seen, firstSeenAt, lastSeenAt } = unreadAnswers;
  // An order's statuses are the last that is expected to have refused it.
  const answer = sql<string | null>`(select substr(kept.response, 1, ${ANSWER_CHARACTERS}) from provider_log kept
    where kept.order_id = unread_answers.order_id and kept.provider_id = unread_answers.provider_id
      and (unread_answers.kind in ('error', 'shape')
        or kept.action = iif(unread_answers.kind = 'state', 'status', 'refill_status'))
    order by (unread_answers.kind = 'error' and kept.action = 'status'), kept.id desc limit 1)`;
  return db
    .select({ kind, key, word, orderId, seen, firstSeenAt, lastSeenAt, answer: answer.as("answer") })
    .from(unreadAnswers)
    .where(sql`${unreadAnswers.providerId} = ${providerId} and not ${IS_TAUGHT}`)
    .orderBy(desc(lastSeenAt), kind, key)
    .limit(UNREAD_SHOWN + 1);
}
