import type { RefillPlan } from "../../scripts/plan-orders.ts";

/** A refill that a provider took. Times in simulated ms since the script's beginning. */
export type TakenRefill = {
  id: string;
  /** The link of its order. */
  link: string;
  at: number;
  plan: RefillPlan;
  /** Statuses that the provider gave, as it wrote them. */
  reported: { at: number; status: string; isAnswered: boolean }[];
};

/** Meaning of the response to a refill, as for an order that is sent. */
export type RefillOutcome =
  | { kind: "taken"; id: string }
  | { kind: "refused" }
  | { kind: "deferred" }
  | { kind: "unclear" };
/** Sends a response. */
type Send = (outcome: RefillOutcome, status: number, body: unknown, headers?: Record<string, string>) => Promise<void>;

/** A provider's part that refills orders as the script says. */
export function providerRefills(now: () => number) {
  const taken: TakenRefill[] = [];
  const busyOrders = new Set<string>();

  return {
    taken,
    async respond(order: { id: string; link: string; plan: RefillPlan }, send: Send, cut: () => void): Promise<void> {
      const { id: orderId, link, plan } = order;
      switch (plan.response) {
        case "refused":
          return send({ kind: "refused" }, 200, { error: "Refill is not available" });
        case "html":
          return send({ kind: "unclear" }, 200, "<html><body>Just a moment…</body></html>");
        case "busy_once":
          if (busyOrders.has(orderId)) break;
          busyOrders.add(orderId);
          return send({ kind: "deferred" }, 429, { error: "Too many requests" });
      }
      const id = String(7000 + taken.length);
      taken.push({ id, link, at: now(), plan, reported: [] });
      if (plan.response === "cut") return cut();
      return send({ kind: "taken", id }, 200, { refill: plan.response === "text_id" ? id : Number(id) });
    },
    async report(ids: string[], send: (body: unknown) => Promise<boolean>): Promise<void> {
      const given: TakenRefill["reported"] = [];
      const entries = ids.map((id) => {
        const refill = taken.find((known) => known.id === id);
        if (!refill) return { refill: id, status: { error: "Refill not found" } };
        const status = refill.plan.steps.findLast(({ after }) => after <= now() - refill.at)?.status ?? "Pending";
        const entry = { at: now(), status, isAnswered: false };
        refill.reported.push(entry);
        given.push(entry);
        return { refill: Number(id), status };
      });
      const isAnswered = await send(entries);
      for (const entry of given) entry.isAnswered = isAnswered;
    },
  };
}
