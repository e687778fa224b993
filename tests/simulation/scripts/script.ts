/**
 * A script is everything that a world does, drawn from one seed before it begins, so that a run can be repeated and made
 * smaller. Times are simulated ms from its beginning.
 */
export type Script = {
  seed: number;
  profile: string;
  durationMs: number;
  providers: ProviderPlan[];
  customers: number;
  visitors: number;
  agents: number;
  events: WorldEvent[];
};

/** A way in which a provider treats every call for a time. */
export type ProviderMode =
  | "dead"
  | "busy"
  | "maintenance"
  | "slow"
  | "hanging"
  | "failing"
  | "redirecting"
  | "endless"
  | "compressed"
  | "no_funds"
  | "bad_key";
export type ProviderPlan = { modes: { from: number; to: number; mode: ProviderMode }[] };

/** A provider's response when it is sent one order. `ok` and those below it take the order, `zero_id` and `html` don't. */
export type AddBehavior =
  | "refuses_link"
  | "refuses_quantity"
  | "vague_error"
  | "busy_once"
  | "ok"
  | "text_id"
  | "huge_id"
  | "reused_id"
  | "zero_id"
  | "no_response"
  | "cut"
  | "html";

/** A status as the provider writes it, from so long after it took the order. */
export type StatusStep = { after: number; status: string; remains?: unknown; startCount?: unknown };
export type OrderPlan = { add: AddBehavior; steps: StatusStep[]; cancelable: boolean };

/** The surface that an order is placed on. `v2` has no key, so that a lost response leaves the customer in doubt. */
export type Surface = "v1" | "v2_with_id" | "v2";

export type WorldEvent =
  | {
      kind: "order";
      at: number;
      /** Unique; it is a part of the link. */
      name: string;
      customer: number;
      provider: number;
      surface: Surface;
      quantity: number;
      runs: number;
      /** The client ends the request after so many real ms, and sends it again. */
      hangsUpAfter: number | null;
      /** The same request is sent so often at once. */
      copies: number;
      plan: OrderPlan;
    }
  | { kind: "cancel"; at: number; order: string }
  | { kind: "refill"; at: number; order: string }
  /** A visitor or an agent writes in that visitor's conversation. */
  | { kind: "say"; at: number; visitor: number; agent: number | null; text: string }
  /** Their connection breaks and comes back. */
  | { kind: "drop"; at: number; visitor: number; agent: number | null }
  /** The agent's session or role ends while the socket is open. A later event of theirs begins with a new log-in. */
  | { kind: "end_agent"; at: number; agent: number; by: "log_out" | "demotion" }
  | { kind: "evict"; at: number; visitor: number }
  | { kind: "kill"; at: number; afterRealMs: number }
  | { kind: "database"; at: number; to: number; refuse: number; lose: number; slowMs: number };

export type OrderEvent = Extract<WorldEvent, { kind: "order" }>;

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
