import type { PlacedOrder } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import type { AddCall, WorldProvider } from "../world/outside/world-provider.ts";
import type { Site, Trouble } from "../world/site.ts";
import { readReport } from "./order-oracle.ts";
import type { OrderRow, Violation } from "./violation.ts";

/** However a provider spells what it says, a person looks at fewer of the orders whose truth it said plainly. */
const HELD_PER_1000 = 2;

/**
 * Judges what a script's dialects may cost: people who have to look, and money that is refunded although it was earned. How
 * an order ended is the order oracle's.
 */
export function judgeDialects(
  site: Site,
  world: World,
  placed: PlacedOrder[],
  { rows, troubles }: { rows: OrderRow[]; troubles: Trouble[] },
): Violation[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const plain: OrderRow[] = [];
  const violations: Violation[] = [];
  for (const { event, id } of placed) {
    const row = byId.get(id ?? -1);
    const provider = world.providers[event.provider];
    if (!row || !provider?.dialect) continue;
    const truth = truthOf(provider, row);
    const isCutOff = troubles.some(
      ({ simulatedFrom, simulatedTo }) => simulatedTo >= row.created_at && simulatedFrom <= row.updated_at,
    );
    if (truth.isPlain && !isCutOff && event.plan.add !== "reused_id") {
      plain.push(row);
      site.count(`plain order in dialect ${provider.dialect}`);
      if (row.fulfillment === "held") site.count(`held in dialect ${provider.dialect}`);
    }
    const total = event.quantity * event.runs;
    const due = Math.floor((row.charge * Math.min(total, truth.undelivered ?? total)) / total);
    if (row.refunded > due) {
      const rule = "no more is refunded than its provider did not deliver";
      violations.push({ rule, subject: event.name, world: { due, ...truth }, product: row });
    }
  }
  const held = plain.filter(({ fulfillment }) => fulfillment === "held");
  if (held.length * 1000 >= HELD_PER_1000 * plain.length && held.length > 0) {
    const rule = "fewer than 2 of 1,000 orders with a plain truth are held";
    const counts = { plain: plain.length, held: held.length };
    violations.push({ rule, subject: "dialects", world: counts, product: held.slice(0, 20) });
  }
  return violations;
}

type Truth = {
  /** Nobody who understands the provider has to ask what happened to the order. */
  isPlain: boolean;
  /** Pieces that its provider said it did not deliver, at most. Null: it took no order, or it may be all of it. */
  undelivered: number | null;
};

function truthOf({ adds, orders, reports }: WorldProvider, row: OrderRow): Truth {
  const own = adds.filter(({ link }) => link === row.link);
  const taken = orders.find(({ link }) => link === row.link);
  const isCertain = own.every((add: AddCall) => add.isAnswered && add.outcome.kind !== "unclear");
  if (!taken) return { isPlain: isCertain, undelivered: null };
  const said = reports.filter(({ id, isAnswered }) => id === taken.id && isAnswered);
  const read = said.map((report) => ({ ...readReport(report), charge: report.charge }));
  const isReadable = read.every(({ status, remains, charge }) => {
    // Panels write 0 where they don't know what remains.
    if (status === "Partial") return Boolean(remains);
    return status !== "unknown" && (status !== "Canceled" || charge === 0 || Boolean(remains));
  });
  const ends = read.flatMap(({ status, remains }) => {
    if (status === "Completed") return [0];
    return status === "Partial" && remains !== null ? [remains] : [];
  });
  const isCanceled = read.some(({ status }) => status === "Canceled");
  return {
    isPlain: isCertain && isReadable,
    undelivered: ends.length === 0 || isCanceled ? null : Math.max(...ends),
  };
}
