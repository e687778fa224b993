import { linesOf } from "./lines.ts";
import { chargeFor } from "./money.ts";
import type { Offer } from "./offers.server.ts";

export type Quote = { charge: number; pieces: number } | { charge: null; why: "none" | "too_small" | "too_large" };

type Terms = Pick<Offer, "rate" | "min" | "max" | "perOrder" | "countedBy">;

/**
 * What the form as filled in so far would cost, in micro-units, or why that cannot be said yet.
 * A preview: the server works out the charge again.
 */
export function quote(terms: Terms, filled: { quantity: string; list: string; runs: string }): Quote {
  const runs = /^[1-9]\d{0,3}$/.test(filled.runs.trim()) ? Number(filled.runs) : 1;
  const pieces = piecesOf(terms, filled);
  if (pieces === null) return { charge: null, why: "none" };
  if (!terms.perOrder && pieces < terms.min) return { charge: null, why: "too_small" };
  if (!terms.perOrder && pieces > terms.max) return { charge: null, why: "too_large" };
  const charge = chargeFor({ rate: terms.rate, quantity: pieces, runs, perOrder: terms.perOrder });
  return charge === null ? { charge: null, why: "too_large" } : { charge, pieces: pieces * runs };
}

function piecesOf(terms: Terms, filled: { quantity: string; list: string }): number | null {
  if (terms.perOrder) return 1;
  if (terms.countedBy) return linesOf(filled.list).length || null;
  return /^\d{1,10}$/.test(filled.quantity.trim()) ? Number(filled.quantity) : null;
}
