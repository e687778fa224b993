import { asc, inArray, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { COMPONENTS, type ComponentState, statusChanges, WATCHED, type Watched } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { STATUS_DAYS } from "./uptime-days.ts";

export type StatusChange = typeof statusChanges.$inferSelect;
export type ComponentChange = Awaited<ReturnType<typeof readComponentChanges>>[number];

/** A component that changes every minute for days is drawn from its oldest changes only. */
const MAX_CHANGES = 5000;

/** The state of each component and the result of each check, as one minute saw them. */
export type WatchedStates = Record<Watched, ComponentState>;

/** Returns the changes that are kept of the components on the public status page, oldest first. */
export function readComponentChanges(db: Db) {
  return readChanges(db, COMPONENTS);
}

/** Returns all changes that are kept, oldest first. */
export function readStatusChanges(db: Db) {
  return readChanges(db, WATCHED);
}

function readChanges<Part extends Watched>(db: Db, parts: readonly Part[]) {
  const { component, startedAt, state } = statusChanges;
  return db
    .select({ component: sql<Part>`${component}`, startedAt, state })
    .from(statusChanges)
    .where(inArray(component, [...parts]))
    .orderBy(asc(startedAt))
    .limit(MAX_CHANGES);
}

/**
 * Records changes of state. What can't be stored, because the database is what is down, is kept in memory and stored with
 * its own time once the database is back; lost if the platform ends the isolate before.
 */
export class StatusRecorder {
  #missed: StatusChange[] = [];

  /** Writes only changes: most minutes have none. Throws if nothing could be stored. */
  async record(db: Db, states: WatchedStates, now: number): Promise<void> {
    const seen = WATCHED.map((component) => ({ component, state: states[component], startedAt: now }));
    let known: Map<Watched, ComponentState>;
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

/** Reads one row per component and check, by the primary key. A list of `json_each` would be read as rows too. */
export async function readLatest(db: Db): Promise<Map<Watched, ComponentState>> {
  const columns = WATCHED.map(
    (part) => sql`(
      select state from ${statusChanges} where component = ${part} order by started_at desc limit 1
    ) as ${sql.identifier(part)}`,
  );
  const row = await db.get<Record<Watched, ComponentState | null>>(sql`select ${sql.join(columns, sql`, `)}`);
  return new Map(WATCHED.flatMap((part) => (row[part] === null ? [] : [[part, row[part]]])));
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
function changesOf(known: Map<Watched, ComponentState>, seen: StatusChange[]): StatusChange[] {
  const state = new Map(known);
  return seen.filter((one) => {
    const isChange = state.get(one.component) !== one.state;
    state.set(one.component, one.state);
    return isChange;
  });
}
