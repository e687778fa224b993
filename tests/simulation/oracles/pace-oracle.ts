import { HOUR, MINUTE, SECOND } from "../scripts/simulated-durations.ts";
import type { PlacedOrder } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import { DIALECTS } from "../world/outside/provider-dialects.ts";
import type { StatusReport } from "../world/outside/world-provider.ts";
import type { Site, Trouble } from "../world/site.ts";
import { readReport } from "./order-oracle.ts";
import { FINAL, type OrderRow, type Violation } from "./violation.ts";

/** "Every 8 s for orders younger than an hour, in passes of ten minutes for older ones" (docs/decisions/orders/0027). */
const RECENT = { younger: HOUR, every: 8 * SECOND };
const OLDER_EVERY = 10 * MINUTE;
/** Pace for an order that is held because its status can't be read. */
const HELD_EVERY = HOUR;
/** The clock moves in steps, up to five minutes each, and what is due in one may have to wait for the next. */
const STEP = 5 * MINUTE;
const STEPS = 2 * STEP;
/** The world's clock also goes on while the product works, which takes longer on a busy machine. */
const WORK = MINUTE;
/** A round asks a provider that takes no lists about so many orders (docs/decisions/orders/0095). Each step has a round. */
const ALONE_IN_A_ROUND = 80;
/** Time without calls to a provider after one that failed or was refused. */
const REST = MINUTE;

type Span = { from: number; to: number };

/**
 * Checks that no open order stays longer unasked than its pace allows. The time in which its provider or the platform was in
 * trouble doesn't count. Deciding what happens next is the order oracle's: it can't see a status that nobody asked for.
 */
export function judgePace(
  site: Site,
  world: World,
  placed: PlacedOrder[],
  { rows, troubles }: { rows: OrderRow[]; troubles: Trouble[] },
): Violation[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const platform = troubles.map(({ simulatedFrom, simulatedTo }) => ({
    from: simulatedFrom - world.startedAt,
    to: simulatedTo - world.startedAt + REST,
  }));
  const reportsOf = new Map(
    world.providers.map((provider) => [provider, Map.groupBy(provider.reports, ({ id }) => id)] as const),
  );
  return placed.flatMap(({ event, id }): Violation[] => {
    const row = byId.get(id ?? -1);
    const provider = world.providers[event.provider];
    // Two orders under one id at a provider can't be told apart by it.
    if (!row || !provider || row.provider_order_id === null || event.plan.add === "reused_id") return [];
    const taken = provider.orders.find(({ link }) => link === row.link);
    if (!taken || taken.id !== row.provider_order_id) return [];
    const reports = reportsOf.get(provider)?.get(taken.id) ?? [];
    const takesLists = provider.dialect === undefined || DIALECTS[provider.dialect].takesLists;
    const rounds = takesLists ? 1 : Math.ceil(provider.orders.length / ALONE_IN_A_ROUND);
    const restless = provider.modes.map(({ from, to }) => ({ from, to: to + REST }));
    const steps = STEPS + (rounds - 1) * STEP + WORK;
    const facts = { takenAt: taken.at, reports, startedAt: world.startedAt, now: world.now(), steps };
    const worst = longestSilence(row, facts, [...platform, ...restless]);
    site.count("pace of an order judged");
    if (!worst) return [];
    const truth = { ...worst, takenAt: taken.at, asked: reports.length };
    return [{ rule: "an open order is asked for at its pace", subject: event.name, world: truth, product: row }];
  });
}

/** A time in which an open order was not asked for, without what others were at fault for, in ms. */
type Silence = Span & { unexcused: number; allowed: number };

function longestSilence(
  row: OrderRow,
  {
    takenAt,
    reports,
    startedAt,
    now,
    steps,
  }: { takenAt: number; reports: StatusReport[]; startedAt: number; now: number; steps: number },
  excused: Span[],
): Silence | null {
  const createdAt = row.created_at - startedAt;
  const isOver = (report: StatusReport) => report.isAnswered && FINAL.includes(readReport(report).status);
  const end = FINAL.includes(row.status) ? reports.find(isOver)?.at : now;
  // Closed by staff.
  if (end === undefined) return null;
  const asked = reports.filter(({ at }) => at < end);
  let worst: Silence | null = null;
  for (let n = 0; n <= asked.length; n++) {
    const last = asked[n - 1];
    const from = last?.at ?? takenAt;
    const to = asked[n]?.at ?? end;
    const unexcused = to - from - lengthWithin(excused, { from, to });
    const isReadable = !last || readReport(last).status === "open";
    const every = to - createdAt <= RECENT.younger ? RECENT.every : OLDER_EVERY;
    const allowed = (isReadable ? every : HELD_EVERY) + steps;
    if (unexcused > allowed && unexcused - allowed > (worst ? worst.unexcused - worst.allowed : 0))
      worst = { from, to, unexcused, allowed };
  }
  return worst;
}

/** Returns how much of a span the others cover together. */
function lengthWithin(others: Span[], { from, to }: Span): number {
  let covered = 0;
  let until = from;
  for (const other of others.toSorted((a, b) => a.from - b.from)) {
    const begin = Math.max(other.from, until);
    const end = Math.min(other.to, to);
    if (end <= begin) continue;
    covered += end - begin;
    until = end;
  }
  return covered;
}
