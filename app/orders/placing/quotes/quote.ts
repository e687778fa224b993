import type { Offer } from "#app/orders/catalog/offers.server.ts";
import { chargeFor } from "#app/orders/rules/charge-and-refund.ts";
import { linesOf } from "#app/orders/rules/lines.ts";
import { OPEN_ENDED_POSTS } from "#app/orders/rules/order-limits.ts";

export type Quote = { charge: number; pieces: number } | { charge: null; why: "none" | "too_small" | "too_large" };

type Terms = Pick<Offer, "rate" | "min" | "max" | "perOrder" | "countedBy"> & { byPosts?: boolean };

export type Filled = {
  quantity: string;
  list: string;
  runs: string;
  /** For subscriptions: maximum pieces per post, and posts, new and old. */
  max?: string;
  posts?: string;
  oldPosts?: string;
};

/** Returns the charge of the form so far, in micro-units, or why there is none. The server computes it again. */
export function quote(terms: Terms, filled: Filled): Quote {
  const runs = terms.byPosts ? postsOf(filled) : runsOf(filled);
  const pieces = piecesOf(terms, filled);
  if (pieces === null || runs === null) return { charge: null, why: "none" };
  if (!terms.perOrder && pieces < terms.min) return { charge: null, why: "too_small" };
  if (!terms.perOrder && pieces > terms.max) return { charge: null, why: "too_large" };
  const charge = chargeFor({ rate: terms.rate, quantity: pieces, runs, perOrder: terms.perOrder });
  return charge === null ? { charge: null, why: "too_large" } : { charge, pieces: pieces * runs };
}

function piecesOf(terms: Terms, filled: Filled): number | null {
  if (terms.perOrder) return 1;
  if (terms.byPosts) return numberOf(filled.max);
  if (terms.countedBy) return linesOf(filled.list).length || null;
  return numberOf(filled.quantity);
}

/** Reads numbers as `parseOrder` does, which takes "05" for 5. */
function runsOf({ runs }: Filled): number | null {
  const given = runs.trim() === "" ? 0 : numberOf(runs);
  return given === null ? null : Math.max(1, given);
}

function postsOf({ posts, oldPosts }: Filled): number {
  return (numberOf(posts) ?? 0) + (numberOf(oldPosts) ?? 0) || OPEN_ENDED_POSTS;
}

function numberOf(text: string | undefined): number | null {
  return /^\d{1,10}$/.test(text?.trim() ?? "") ? Number(text) : null;
}
