import {
  ORDER_STATUSES,
  type OrderStatus,
  REFILL_STATUSES,
  type RefillStatus,
  type TaughtKind,
} from "#app/db/schema.server.ts";
import { MEANING_NAMES, MEANINGS, type Meaning } from "#app/orders/providers/conventions/error-meanings.ts";

/** A word or text of a provider and what it means there. */
export type Rule = { kind: TaughtKind; key: string; word: string; meaning: string };

/** What a word or text can be taught to mean, and how a form names it. */
export type Choice = { meaning: string; says: string };

type MeaningOf = { state: OrderStatus; refill_state: RefillStatus; error: Meaning };

const asChoice = (meaning: string): Choice => ({ meaning, says: meaning });

export const CHOICES: Record<TaughtKind, Choice[]> = {
  state: ORDER_STATUSES.map(asChoice),
  refill_state: REFILL_STATUSES.map(asChoice),
  error: MEANING_NAMES.map((meaning) => ({ meaning, says: MEANINGS[meaning].says })),
};

export function isMeaningOf<Kind extends TaughtKind>(kind: Kind, meaning: string): meaning is MeaningOf[Kind] {
  return CHOICES[kind].some((choice) => choice.meaning === meaning);
}

/** Returns what a taught rule says its word means, in words. */
export function saysOf(kind: TaughtKind, meaning: string): string {
  return CHOICES[kind].find((choice) => choice.meaning === meaning)?.says ?? meaning;
}
