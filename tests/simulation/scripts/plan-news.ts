import type { Random } from "#tests/faults/seeded-random.ts";
import { SHOP_SERVICES } from "./plan-catalog.ts";
import type { Profile } from "./profiles.ts";

export type NewsEvent =
  /** A customer makes a service of the shop a favorite. */
  | { kind: "favorite"; at: number; customer: number; service: number }
  /** A customer opens the dashboard, reads what changed about their favorites, and may dismiss it. */
  | { kind: "read_notices"; at: number; customer: number; by: "reading" | "dismissal" }
  /** Anybody reads the feed of service updates, and their page. */
  | { kind: "read_updates"; at: number }
  /** A customer pastes lines into the mass order's sheet, which checks them, and places none. `name` is in their links. */
  | { kind: "check_sheet"; at: number; name: string; customer: number; rows: { service: number; quantity: number }[] };

const ROWS_AT_MOST = 6;
/** A service that nobody sells. */
export const NO_SERVICE = -1;

/** Customers who follow the shop's prices by themselves. */
export function planNews(random: Random, { durationMs, customers, shopOrders }: Profile): NewsEvent[] {
  const count = Math.ceil(shopOrders / 9);
  const at = () => random.upTo(durationMs);
  const customer = () => random.upTo(customers);
  return Array.from({ length: count }, (_, n): NewsEvent[] => [
    { kind: "favorite", at: at(), customer: customer(), service: random.upTo(SHOP_SERVICES) },
    { kind: "read_notices", at: at(), customer: customer(), by: "reading" },
    { kind: "read_notices", at: at(), customer: customer(), by: "dismissal" },
    { kind: "read_updates", at: at() },
    {
      kind: "check_sheet",
      at: at(),
      name: `Sheet${n}x`,
      customer: customer(),
      rows: Array.from({ length: 1 + random.upTo(ROWS_AT_MOST) }, () => ({
        service: random.chance(0.1) ? NO_SERVICE : random.upTo(SHOP_SERVICES),
        quantity: 1 + random.upTo(2000),
      })),
    },
  ]).flat();
}
