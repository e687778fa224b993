import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { providers } from "./catalog-tables.server.ts";
import { internal, kept, oneOf, personalTable, time } from "./column-types.server.ts";
import { orders } from "./order-tables.server.ts";

/**
 * What staff teach for a provider. `state`: a word for an order's status. `refill_state`: one for a refill's. `error`: a text
 * that refuses an order, a refill or a cancellation.
 */
export const TAUGHT_KINDS = ["state", "refill_state", "error"] as const;
export type TaughtKind = (typeof TAUGHT_KINDS)[number];

/** A word or text of one provider and what it means there. It precedes what every provider's words mean. */
export const providerWords = personalTable(
  "provider_words",
  {
    id: kept.internal(integer()).primaryKey({ autoIncrement: true }),
    providerId: kept
      .internal(integer("provider_id"))
      .notNull()
      .references(() => providers.id),
    kind: kept.internal(text({ enum: TAUGHT_KINDS })).notNull(),
    /** The result of `wordKey` for a state, and of `textKey` for an error. */
    key: kept.internal(text()).notNull(),
    /** The word as the provider writes it. For an error, the key. */
    word: kept.internal(text()).notNull(),
    /** A status of orders or refills, or the name of an error's meaning. */
    meaning: kept.internal(text()).notNull(),
    /** While it is tried on one order, that order. Null: it holds for all of them. */
    onlyOrderId: kept.internal(integer("only_order_id")).references(() => orders.id),
    createdAt: kept.internal(time("created_at")).notNull(),
  },
  (table) => [
    uniqueIndex("provider_words_once").on(table.providerId, table.kind, table.key),
    check("provider_word_kind_known", oneOf("kind", TAUGHT_KINDS)),
    check("provider_word_not_empty", sql`"key" <> ''`),
  ],
);

/** `shape`: an answer that has neither a state nor an error. Nothing can be taught about it. */
export const UNREAD_KINDS = [...TAUGHT_KINDS, "shape"] as const;
export type UnreadKind = (typeof UNREAD_KINDS)[number];

/** Words and texts that we couldn't read in a provider's answers, one row each. The answers themselves are in its log. */
export const unreadAnswers = personalTable(
  "unread_answers",
  {
    providerId: internal(integer("provider_id"))
      .notNull()
      .references(() => providers.id),
    kind: internal(text({ enum: UNREAD_KINDS })).notNull(),
    /** As in `providerWords`. For a shape, why it can't be read. */
    key: internal(text()).notNull(),
    word: internal(text()).notNull(),
    /** The last order that it was said about. Null: about no single one. */
    orderId: internal(integer("order_id")).references(() => orders.id),
    seen: internal(integer()).notNull().default(1),
    firstSeenAt: internal(time("first_seen_at")).notNull(),
    lastSeenAt: internal(time("last_seen_at")).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.providerId, table.kind, table.key] }),
    index("unread_answers_by_time").on(table.lastSeenAt),
    check("unread_answer_kind_known", oneOf("kind", UNREAD_KINDS)),
  ],
);
