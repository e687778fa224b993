import { DAY, MINUTE, SECOND } from "../scripts/simulated-durations.ts";
import type { PlacedOrder } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import type { Site } from "../world/site.ts";
import { endOf } from "./order-ends.ts";
import { FINAL, type OrderRow, type Violation } from "./violation.ts";

type Shown = {
  service: number;
  delivery_p50: number | null;
  delivery_p90: number | null;
  delivery_samples: number | null;
  partial_rate: number | null;
  cancel_rate: number | null;
};
/** How long an order took, or has been open, at least and at most, in ms. */
type Duration = { least: number; most: number; isDone: boolean };
type Facts = Pick<OrderRow, "id"> & { service_id: number; runs: number; type: string; is_test: number };

/** A shown time is the end of a bucket, which is so much longer than the one before (decision 55). */
const BUCKET = 2 ** (1 / 8);
/** Decision 55: fewer say nothing. */
const MIN_COMPLETED = 10;
const WINDOW = 29 * DAY;
/** The times are computed every ten minutes, in steps of the clock. */
const COMPUTED_EVERY = 20 * MINUTE;
const ROUNDED = 0.0006;

/**
 * Compares the delivery times and rates that the product shows at the end with those that the world knows: when orders were
 * placed, and when their providers ended them. Computed order by order, without buckets.
 */
export async function judgeDeliveryTimes(
  site: Site,
  world: World,
  placed: PlacedOrder[],
  rows: OrderRow[],
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const shown = await readShown(site, world);
  // Orders of a history that was there before were never counted.
  const [history] = await site.query("select 1 from orders where user_id like 'seed%' limit 1");
  if (!shown || history) return [];
  const now = site.now();
  const facts = new Map(
    (await site.query<Facts>("select id, service_id, runs, type, is_test from orders")).map((row) => [row.id, row]),
  );
  const placedAs = new Map(placed.map((order) => [order.id, order]));
  for (const { service, ...times } of shown) {
    const own = rows.filter((row) => {
      const { service_id, runs, type, is_test } = facts.get(row.id) ?? {};
      return service_id === service && runs === 1 && type !== "Subscriptions" && is_test === 0;
    });
    const durations = own.map((row) => durationOf(world, row, placedAs.get(row.id), now));
    const isUnsettled = own.some((row) => FINAL.includes(row.status) && row.updated_at > now - COMPUTED_EVERY);
    const isOld = own.some((row) => row.created_at < now - WINDOW);
    if (durations.includes(null) || isUnsettled || isOld) {
      site.count(isUnsettled ? "delivery times not settled" : "delivery times not known");
      continue;
    }
    const truth = timesOf(own, durations as Duration[]);
    const broken = (rule: string, product: unknown = times) =>
      violations.push({ rule, subject: `service ${service}`, world: truth, product });
    const isSilent = times.delivery_samples === null;
    if (isSilent !== truth.completed < MIN_COMPLETED) broken("delivery times are shown from ten completed orders on");
    if (isSilent || truth.completed < MIN_COMPLETED) {
      if (Object.values(times).some((value) => value !== null)) broken("too few orders show no times");
      continue;
    }
    site.count("delivery times compared");
    if (times.delivery_samples !== own.length) broken("delivery times rest on all orders of the service");
    if (!isAbout(times.partial_rate, truth.partialRate)) broken("the partial rate is that of the ended orders");
    if (!isAbout(times.cancel_rate, truth.cancelRate)) broken("the cancel rate is that of the ended orders");
    if (!isWithin(times.delivery_p50, truth.p50)) broken("half of the orders were done within the shown time");
    if (!isWithin(times.delivery_p90, truth.p90)) broken("nine of ten orders were done within the shown time");
  }
  return violations;
}

/** Returns what the list of services shows, or null for a product without times. */
async function readShown(site: Site, { customers }: World): Promise<Shown[] | null> {
  const reader = customers.find(({ hasLeft }) => !hasLeft);
  if (!reader) return null;
  const headers = { Authorization: `Bearer ${reader.keys[0]?.value}` };
  const response = await site.fetch("/api/services", { headers }, reader.person.canary);
  const services = (await response.json()) as Shown[];
  if (services.some(({ delivery_samples }) => delivery_samples === undefined)) return null;
  return services.map(({ service, delivery_p50, delivery_p90, delivery_samples, partial_rate, cancel_rate }) => ({
    service,
    delivery_p50,
    delivery_p90,
    delivery_samples,
    partial_rate,
    cancel_rate,
  }));
}

function durationOf(world: World, row: OrderRow, placed: PlacedOrder | undefined, now: number): Duration | null {
  // The order oracle compares created_at with when the customer sent the order and got the response.
  const sent = placed ? world.startedAt + placed.placedAt : row.created_at;
  const answered = placed ? world.startedAt + placed.confirmedAt : row.created_at;
  const isDone = row.status === "Completed";
  if (!FINAL.includes(row.status)) return { least: now - answered - COMPUTED_EVERY, most: now - sent, isDone };
  const end = endOf(world, row, placed);
  // Staff or the end of an account canceled it, sometime.
  if (!end && !isDone) return { least: 0, most: now - sent, isDone };
  return end && { least: Math.max(0, end.from - answered), most: Math.max(0, end.to - sent), isDone };
}

function timesOf(own: OrderRow[], durations: Duration[]) {
  const count = (status: string) => own.filter((row) => row.status === status).length;
  const [completed, partial, canceled] = [count("Completed"), count("Partial"), count("Canceled")];
  const ended = completed + partial + canceled;
  return {
    completed,
    partialRate: partial / ended,
    cancelRate: canceled / ended,
    p50: rangeOf(durations, 0.5),
    p90: rangeOf(durations, 0.9),
  };
}

/**
 * Returns the least and the most ms within which a share of the orders is done, as far as the world knows when each was,
 * null where it may be never. What is left out of a bucket's orders at its beginning or at its end counts, too.
 */
function rangeOf(durations: Duration[], share: number): (number | null)[] {
  const variants = [1 / BUCKET, 1, BUCKET].flatMap((left) =>
    (["least", "most"] as const).map((end) =>
      timeOfShare(
        durations.map((one) => ({ ms: one[end] * (one.isDone ? 1 : left), isDone: one.isDone })),
        share,
      ),
    ),
  );
  return variants.toSorted((a, b) => (a ?? Number.POSITIVE_INFINITY) - (b ?? Number.POSITIVE_INFINITY));
}

/**
 * Returns when so many of the orders are done. An order that is open, or ended otherwise, is not done up to its age, and
 * from then on shares the fate of those that are left.
 */
function timeOfShare(durations: { ms: number; isDone: boolean }[], share: number): number | null {
  const sorted = durations.toSorted((a, b) => a.ms - b.ms || Number(b.isDone) - Number(a.isDone));
  let weight = 1 / sorted.length;
  let done = 0;
  for (const [n, { ms, isDone }] of sorted.entries()) {
    const left = sorted.length - n - 1;
    if (isDone) done += weight;
    // What it weighs is spread over those that are left.
    else weight += left === 0 ? 0 : weight / left;
    if (isDone && done >= share - 1e-9) return ms;
  }
  return null;
}

function isAbout(shown: number | null, truth: number): boolean {
  return shown !== null && Math.abs(shown - truth) <= ROUNDED;
}

/** Returns whether a shown number of seconds is in the range, up to a bucket later. */
function isWithin(seconds: number | null, range: (number | null)[]): boolean {
  if (seconds === null) return range.includes(null);
  const [least = null] = range;
  const most = range.at(-1) ?? null;
  const isEarly = least === null || seconds * SECOND < least / BUCKET - SECOND;
  return !isEarly && (most === null || seconds * SECOND <= most * BUCKET + SECOND);
}
