import { asc, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { COMPONENTS, type Component, type ComponentState, statusChanges } from "#app/db/schema.server.ts";
import type { ComponentStates } from "./component-states.ts";
import { STATUS_DAYS } from "./uptime-days.ts";

export type StatusChange = typeof statusChanges.$inferSelect;

const DAY_MS = 24 * 60 * 60_000;
/** A component that changes every minute for days is drawn from its oldest changes only. */
const MAX_CHANGES = 5000;

/** Returns all changes that are kept, oldest first. */
export function readStatusChanges(db: Db): Promise<StatusChange[]> {
  return db.select().from(statusChanges).orderBy(asc(statusChanges.startedAt)).limit(MAX_CHANGES);
}

/**
 * Records changes of state. What can't be stored, because the database is what is down, is kept in memory and stored with
 * its own time once the database is back; lost if the platform ends the isolate before.
 */
export class StatusRecorder {
  #missed: StatusChange[] = [];

  /** Writes only changes: most minutes have none. Throws if nothing could be stored. */
  async record(db: Db, states: ComponentStates, now: number): Promise<void> {
    const seen = COMPONENTS.map((component) => ({ component, state: states[component], startedAt: now }));
    let known: Map<Component, ComponentState>;
    try {
      known = await readLatest(db);
    } catch (error) {
      this.#missed = changesOf(new Map(), [...this.#missed, ...seen]);
      throw error;
    }
    const changes = changesOf(known, [...this.#missed, ...seen]);
    if (changes.length > 0) await db.insert(statusChanges).values(changes).onConflictDoNothing();
    this.#missed = [];
  }
}

/** Reads one row per component, by the primary key. */
export async function readLatest(db: Db): Promise<Map<Component, ComponentState>> {
  const rows = await db.all<{ component: Component; state: ComponentState | null }>(sql`
    select value as component, (
      select state from ${statusChanges} where component = value order by started_at desc limit 1
    ) as state from json_each(${JSON.stringify(COMPONENTS)})`);
  return new Map(rows.flatMap(({ component, state }) => (state === null ? [] : [[component, state]])));
}

/** Deletes changes older than 90 days, except the last of each component, which says what held then. */
export async function deleteOldStatusChanges(db: Db, now = Date.now()): Promise<void> {
  const end = now - STATUS_DAYS * DAY_MS;
  await db.run(sql`
    delete from ${statusChanges} where exists (
      select 1 from ${statusChanges} as later where later.component = ${statusChanges.component}
        and later.started_at > ${statusChanges.startedAt} and later.started_at <= cast(${end} as integer)
    )`);
}

/** Leaves out what says the same as the state before it. */
function changesOf(known: Map<Component, ComponentState>, seen: StatusChange[]): StatusChange[] {
  const state = new Map(known);
  return seen.filter((one) => {
    const isChange = state.get(one.component) !== one.state;
    state.set(one.component, one.state);
    return isChange;
  });
}
