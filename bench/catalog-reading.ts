import { PANEL_API_V2 } from "#app/orders/providers/conventions/panel-api-v2.ts";
import { readCatalog } from "#app/orders/providers/provider-catalog.server.ts";
import { reportFigures } from "./figures.ts";

/**
 * `npm run bench -- catalog`: reads the answer of a provider with 20,000 services, against what it takes to parse its JSON.
 * Both are the least processor time of several rounds that take turns.
 */

const SERVICES = 20_000;
const ROUNDS = 25;
/** A reader that knew its names as constants took 11 to 13 times as long as parsing, one that made a map of each record's 20. */
const MOST = 15;

const text = JSON.stringify(
  Array.from({ length: SERVICES }, (_, n) => ({
    service: String(n + 1),
    name: `Instagram Followers [Refill ${n % 90}D] ⭐ HQ #${n}`,
    type: "Default",
    category: `Instagram - Category ${n % 400}`,
    rate: (0.01 + (n % 977) / 50).toFixed(4),
    min: "10",
    max: "100000",
    dripfeed: false,
    refill: true,
    cancel: n % 2 === 0,
  })),
);

let [parsing, reading] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
for (let round = 0; round < ROUNDS; round++) {
  const started = computedMs();
  const body = JSON.parse(text);
  const parsed = computedMs();
  const catalog = readCatalog(body, PANEL_API_V2);
  reading = Math.min(reading, computedMs() - parsed);
  parsing = Math.min(parsing, parsed - started);
  if (catalog?.services.length !== SERVICES) throw new Error("the catalog was not read whole");
}
reportFigures([
  {
    name: `catalog of ${SERVICES} services read`,
    value: reading,
    unit: "ms",
    baseline: parsing,
    goal: { atMost: MOST },
  },
]);

/** Processor time of this thread: others don't count. */
function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
