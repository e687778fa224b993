import type { Random } from "#tests/faults/seeded-random.ts";
import type { Profile } from "./profiles.ts";

/** How a customer came by the link that they paste. `variant`: of a right one, from a phone or an app's share button. */
export type PastedLink = "right" | "variant" | "wrong network" | "wrong kind" | "website" | "short link";
export type LinkSurface = "v1" | "v2_with_id" | "form" | "mass";

export type LinkEvent =
  /** A customer orders with a pasted link. `agrees`: they order with it even if the page doubts it. */
  {
    kind: "paste";
    at: number;
    /** Unique; it is a part of the link. */
    name: string;
    customer: number;
    by: LinkSurface;
    pasted: PastedLink;
    check: "strict" | "warn" | "off";
    agrees: boolean;
    /** Then they paste another form of the link into the form, while the order is open. */
    again: boolean;
  };

const PASTED: PastedLink[] = ["right", "variant", "variant", "wrong network", "wrong kind", "website", "short link"];

/** Customers who paste links as people and programs do, right ones and others. */
export function planLinks(random: Random, { durationMs, customers, orders }: Profile): LinkEvent[] {
  return Array.from({ length: Math.min(60, 8 + Math.floor(orders / 20)) }, (_, n) => ({
    kind: "paste",
    at: random.upTo(durationMs),
    name: `Paste${n}x`,
    customer: random.upTo(customers),
    by: random.pick(["v1", "v2_with_id", "form", "form", "mass"] as const),
    pasted: random.pick(PASTED),
    check: random.pick(["strict", "warn", "off"] as const),
    agrees: random.chance(0.5),
    again: random.chance(0.3),
  }));
}
