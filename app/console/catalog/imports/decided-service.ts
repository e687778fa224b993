import type { services } from "#app/db/schema.server.ts";

type Service = typeof services.$inferSelect;

/** The columns that a decision about a provider's change can write. */
export const DECIDED_COLUMNS = [
  "type",
  "min",
  "max",
  "dripfeed",
  "refill",
  "cancel",
  "rate",
  "providerRate",
  "ruleRate",
  "decidedRate",
  "decidedCost",
  "enabled",
  "keptWhileGone",
] as const satisfies (keyof Service)[];

export type DecidedColumns = Pick<Service, (typeof DECIDED_COLUMNS)[number]>;

/**
 * A service before a decision, as its audit entry keeps it: the version that the decision gave it, and the values of
 * DECIDED_COLUMNS. A list without names, because one decision can be about thousands.
 */
export type ServiceBefore = [version: number, ...values: unknown[]];

export function serviceBefore(service: DecidedColumns, version: number): ServiceBefore {
  return [version, ...DECIDED_COLUMNS.map((name) => service[name])];
}

export function decidedColumns([, ...values]: ServiceBefore): DecidedColumns {
  return Object.fromEntries(DECIDED_COLUMNS.map((name, at) => [name, values[at]])) as DecidedColumns;
}
