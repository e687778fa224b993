import type { RefillPlan } from "../../scripts/plan-orders.ts";
import { type AskedIds, refusal, type Said, TOO_MANY } from "./provider-dialects.ts";

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
/** Ways to respond: with a body that no dialect spells, by saying something, and by cutting the connection. */
type Responding = {
  sendAdd: (outcome: RefillOutcome, status: number, body: unknown) => Promise<void>;
  sayAdd: (outcome: RefillOutcome, said: Said) => Promise<void>;
  cut: () => void;
};

/** A provider's part that refills orders as the script says. */
export function providerRefills(now: () => number) {
  const taken: TakenRefill[] = [];
  const busyOrders = new Set<string>();

  return {
    taken,
    async respond(
      order: { id: string; link: string; plan: RefillPlan },
      { sendAdd, sayAdd, cut }: Responding,
    ): Promise<void> {
      const { id: orderId, link, plan } = order;
      switch (plan.response) {
        case "refused":
          return sayAdd({ kind: "refused" }, refusal("Refill is not available"));
        case "html":
          return sendAdd({ kind: "unclear" }, 200, "<html><body>Just a moment…</body></html>");
        case "busy_once":
          if (busyOrders.has(orderId)) break;
          busyOrders.add(orderId);
          return sayAdd({ kind: "deferred" }, TOO_MANY);
      }
      const id = String(7000 + taken.length);
      taken.push({ id, link, at: now(), plan, reported: [] });
      if (plan.response === "cut") return cut();
      return sayAdd({ kind: "taken", id }, { kind: "refill", id: plan.response === "text_id" ? id : Number(id) });
    },
    async report({ given: ids, isList }: AskedIds, say: (said: Said) => Promise<boolean>): Promise<void> {
      const given: TakenRefill["reported"] = [];
      const entries = ids.map((id): readonly [string, string | null] => {
        const refill = taken.find((known) => known.id === id);
        if (!refill) return [id, null];
        const status = refill.plan.steps.findLast(({ after }) => after <= now() - refill.at)?.status ?? "Pending";
        const entry = { at: now(), status, isAnswered: false };
        refill.reported.push(entry);
        given.push(entry);
        return [id, status];
      });
      const isAnswered = await say({ kind: "refill_states", isList, entries });
      for (const entry of given) entry.isAnswered = isAnswered;
    },
  };
}
