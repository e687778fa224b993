import { callPanel, type PlacedOrder } from "../world/customers/order-customer.ts";
import type { World } from "../world/open-world.ts";
import type { Site, Trouble } from "../world/site.ts";
import type { Violation } from "./violation.ts";

type RefillRow = {
  id: number;
  order_id: number;
  status: string;
  fulfillment: string;
  created_at: number;
  updated_at: number;
};

const FINAL_REFILL: [RegExp, string][] = [
  [/^complete/i, "Completed"],
  [/^(reject|cancel|fail)/i, "Rejected"],
];

/** Compares each order's refill with what its provider did. An order with several refills is only counted. */
export async function judgeRefills(
  site: Site,
  world: World,
  placed: PlacedOrder[],
  { troubles }: { troubles: Trouble[] },
): Promise<Violation[]> {
  const violations: Violation[] = [];
  const all = await site.query<RefillRow>("select * from refills").catch(() => []);
  for (const order of placed) {
    const rows = all.filter(({ order_id }) => order_id === order.id);
    const provider = world.providers[order.event.provider];
    const [row] = rows;
    // Two orders under one id at a provider can't be told apart by it.
    if (!row || !provider || order.event.plan.add === "reused_id") continue;
    const link = world.linkOf(order.event.name);
    const isShared = provider.orders.some(
      (one) => one.link !== link && one.id === provider.orders.find((own) => own.link === link)?.id,
    );
    if (isShared) continue;
    const calls = provider.refillCalls.filter((call) => call.link === link);
    const taken = provider.refills.filter((refill) => refill.link === link);
    const broken = (rule: string, product: unknown = rows) =>
      violations.push({ rule, subject: order.event.name, world: { calls, taken }, product });
    if (taken.length > rows.length) broken("a provider gets a refill at most once");
    if (order.refill !== null) {
      const customer = world.customers[order.event.customer];
      const body = customer && (await callPanel(site, customer, { action: "refill_status", refill: order.refill }));
      const own = rows.find(({ id }) => String(id) === order.refill);
      if ((body as { status?: string } | null)?.status !== own?.status) broken("the API shows a refill's status", body);
    }
    if (rows.length > 1) continue;
    site.count("refill judged");
    // It was marked as being sent, and then the process or the database was gone.
    const wasCutOff = troubles.some(
      ({ simulatedFrom, simulatedTo }) => simulatedTo >= row.created_at && simulatedFrom <= row.updated_at,
    );
    const rule = judgeRefill(row, calls.at(-1)?.outcome.kind, taken[0]?.reported ?? [], wasCutOff);
    if (rule) broken(rule);
  }
  return violations;
}

function judgeRefill(
  row: RefillRow,
  last: string | undefined,
  reported: { status: string; isAnswered: boolean }[],
  wasCutOff: boolean,
): string | null {
  // Staff decide: the provider may have it, or never had the order.
  if (row.fulfillment === "held")
    return last === "unclear" || wasCutOff ? null : "a refill is held only if it may be there";
  if (row.fulfillment === "manual") return null;
  switch (last) {
    case undefined:
      return "a refill is sent";
    case "deferred":
      return "a deferred refill is sent again";
    case "unclear":
      return "a refill that may be there is held";
    case "refused":
      return row.status === "Rejected" ? null : "a refused refill is rejected";
  }
  const heard = reported.filter(({ isAnswered }) => isAnswered);
  if (heard.length === 0) return "a refill's status is asked for";
  const final = heard
    .map(({ status }) => FINAL_REFILL.find(([spelling]) => spelling.test(status))?.[1])
    .find((status) => status !== undefined);
  if (final) return row.status === final ? null : "a refill ends as its provider says";
  return ["Pending", "In progress"].includes(row.status) ? null : "a refill ends only when its provider ends it";
}
