import type { services } from "#app/db/schema.server.ts";
import type { JudgedService } from "./service-guard.ts";

/** A change of one service, and what the audit log keeps of such changes. */

type Service = typeof services.$inferSelect;
type Columns = Omit<Service, "id" | "version">;

export type ServiceChange = {
  /** The service as it was read. The change is refused if it has another version by then. Null: a new service. */
  before: (JudgedService & Pick<Service, "id" | "version">) | null;
  /** The columns to write. */
  set: Partial<Columns>;
  /** Facts that the guard has to know of the service once it is changed, besides its columns. */
  facts?: Partial<JudgedService>;
  /** A service that has another version by then is left as it is, and nothing else is refused for it. */
  skipsStale?: boolean;
};

/** The columns that a decision about a provider's change can write. */
const DECIDED_COLUMNS = [
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
] as const satisfies (keyof Columns)[];

export type DecidedColumns = Pick<Service, (typeof DECIDED_COLUMNS)[number]>;

/**
 * A service before a decision, as its audit entry keeps it: the version that the decision gave it, and the values of
 * DECIDED_COLUMNS. A list without names, because one decision can be about thousands.
 */
export type ServiceBefore = [version: number, ...values: unknown[]];

export function decidedColumns([, ...values]: ServiceBefore): DecidedColumns {
  return Object.fromEntries(DECIDED_COLUMNS.map((name, at) => [name, values[at]])) as DecidedColumns;
}

/** Returns the service as the guard judges it once it is changed. */
export function judgedAfter({ before, set, facts }: ServiceChange): JudgedService {
  return { rate: 0, enabled: false, providerRate: null, ...before, ...set, ...facts };
}

/** Returns whether a change writes anything. */
export function isWritten({ before, set }: ServiceChange): boolean {
  return before === null || columnsOf(set).some((name) => before[name] !== set[name]);
}

/** Returns the version that a service has after its change. */
export function versionAfter(change: ServiceChange): number {
  return (change.before?.version ?? 0) + Number(isWritten(change));
}

/** Returns [before, after] of each column that a change writes, by its name. */
export function fieldsIn({ before, set }: ServiceChange): Record<string, [unknown, unknown]> {
  return Object.fromEntries(columnsOf(set).map((name) => [name, [before?.[name], set[name]]]));
}

/** Returns [before, after] of a column that changes, by the service's id. */
export function valuesIn(changes: ServiceChange[], name: keyof Columns): Record<string, [unknown, unknown]> {
  return Object.fromEntries(
    changes.flatMap(({ before, set }) =>
      before === null || set[name] === undefined || set[name] === before[name]
        ? []
        : [[before.id, [before[name], set[name]]]],
    ),
  );
}

/** Returns what the undo of a decision sets back, by the service's id. */
export function restoreIn(changes: ServiceChange[]): Record<string, ServiceBefore> {
  return Object.fromEntries(
    changes.flatMap((change) => {
      const { before } = change;
      return before ? [[before.id, [versionAfter(change), ...DECIDED_COLUMNS.map((name) => before[name])]]] : [];
    }),
  );
}

/** Returns the ids of the services that were there before. */
export function idsIn(changes: ServiceChange[]): number[] {
  return changes.flatMap(({ before }) => before?.id ?? []);
}

function columnsOf(set: Partial<Columns>) {
  return Object.keys(set) as (keyof Columns)[];
}
