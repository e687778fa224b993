import type { Area, CheckName, Component, ComponentState } from "#app/db/schema.server.ts";
import type { CheckResults } from "./health-checks.ts";

/** Figures that decide the states, beside the checks. Null if they could not be read. */
export type ComponentFigures = {
  /** Enabled providers, and those of them that get no orders. */
  providers: { enabled: number; unavailable: number };
  /** Requests of this hour, by area. */
  requests: { area: Area; requests: number; errors: number }[];
} | null;

export type ComponentStates = Record<Component, ComponentState>;

/** `down` and `degraded`: the checks that make the component so. `area`: the requests that it answers. */
type Rule = { down: CheckName[]; degraded: CheckName[]; area: Area };

const RULES: Record<Exclude<Component, "providers">, Rule> = {
  api: { down: ["database"], degraded: [], area: "api" },
  ordering: { down: ["database"], degraded: ["dispatchers"], area: "dashboard" },
  chat: { down: ["database", "support_database"], degraded: ["files"], area: "chat" },
};

/** A share of failed requests that is more than a mistake in one place. */
const ERROR_SHARE = 0.05;
/** Fewer requests in this hour prove nothing. */
const MIN_REQUESTS = 20;

/** Decides the state of each component. Providers keep `before` while nothing is known about them. */
export function componentStates(
  checks: CheckResults,
  figures: ComponentFigures,
  before: ComponentState = "operational",
): ComponentStates {
  return {
    api: stateOf(RULES.api, checks, figures),
    ordering: stateOf(RULES.ordering, checks, figures),
    chat: stateOf(RULES.chat, checks, figures),
    providers: figures ? providerState(figures.providers) : before,
  };
}

function stateOf(rule: Rule, checks: CheckResults, figures: ComponentFigures): ComponentState {
  if (rule.down.some((name) => !checks[name].ok)) return "down";
  if (rule.degraded.some((name) => !checks[name].ok)) return "degraded";
  const counted = figures?.requests.find(({ area }) => area === rule.area);
  const isFailing = counted && counted.requests >= MIN_REQUESTS && counted.errors >= ERROR_SHARE * counted.requests;
  return isFailing ? "degraded" : "operational";
}

function providerState({ enabled, unavailable }: { enabled: number; unavailable: number }): ComponentState {
  if (unavailable === 0) return "operational";
  return unavailable < enabled ? "degraded" : "down";
}
