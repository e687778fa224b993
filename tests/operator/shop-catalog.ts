import { MICRO } from "#app/product.ts";
import { HOUR_MS } from "#app/time.ts";
import type { Random } from "#tests/faults/seeded-random.ts";

/** A service of the filled shop. Rates are micro-units per 1,000. */
export type ShopService = {
  network: string;
  category: string;
  name: string;
  rate: number;
  /** Null: delivered by staff. */
  providerRate: number | null;
  /** The provider's index, or null. */
  provider: number | null;
  providerServiceId: string | null;
  /** How long half of its orders take. */
  medianMs: number;
};

const NETWORKS = ["Instagram", "TikTok", "YouTube", "Facebook", "Telegram", "Spotify", "LinkedIn", "Threads"];
const KINDS: [category: string, dollars: number, hours: number][] = [
  ["Followers", 2.4, 9],
  ["Likes", 0.4, 2],
  ["Views", 0.08, 0.5],
  ["Comments", 7, 5],
  ["Shares", 0.9, 3],
];
const QUALITIES = ["", ", high quality", ", gradual", ", no refill", ", 30-day refill", ", premium"];
const MANUAL_SERVICES = 20;

/** Makes as many services as asked for, of which the last 20 are delivered by staff. Margins are from 15 to 60 %. */
export function shopCatalog(count: number, providers: number, { pick, next, upTo }: Random): ShopService[] {
  return Array.from({ length: count }, (_, n) => {
    const network = NETWORKS[n % NETWORKS.length] ?? "";
    const [category, dollars, hours] = KINDS[Math.floor(n / NETWORKS.length) % KINDS.length] ?? ["", 1, 1];
    const isManual = n >= count - MANUAL_SERVICES;
    const cost = Math.round(dollars * (0.3 + next()) * 1000) * (MICRO / 1000);
    const margin = 0.15 + 0.45 * next();
    return {
      network,
      category,
      name: `${network} ${category.toLowerCase()}${pick(QUALITIES)} #${n + 1}`,
      rate: Math.ceil(cost / (1 - margin) / 1000) * 1000,
      providerRate: isManual ? null : cost,
      provider: isManual ? null : upTo(providers),
      providerServiceId: isManual ? null : String(n + 1),
      medianMs: Math.round(hours * HOUR_MS * (0.5 + next())),
    };
  });
}

/** Returns a provider's catalog as its API lists it. */
export function offersOf(services: ShopService[], provider: number): { service: string; rate: string }[] {
  return services
    .filter((one) => one.provider === provider)
    .map((one) => ({
      service: one.providerServiceId ?? "",
      name: one.name,
      category: one.category,
      type: "Default",
      rate: ((one.providerRate ?? 0) / MICRO).toFixed(4),
      min: "10",
      max: "100000",
      refill: false,
      cancel: true,
    }));
}
