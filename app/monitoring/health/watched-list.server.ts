import type { Db } from "#app/db/db.server.ts";
import { type ComponentState, WATCHED, type Watched } from "#app/db/schema.server.ts";
import { type DayLetters, lettersOf } from "./status-bars.tsx";
import { readStatusChanges } from "./status-changes.server.ts";
import { uptimeOf } from "./uptime-days.ts";

/** Days that the System page draws: as wide as a phone shows well beside the other charts. */
export const SHOWN_DAYS = 30;

/** A component or a check as admins see it. `since`: when it came into its state, or when it was first checked. */
export type WatchedPart = {
  part: Watched;
  state: ComponentState;
  since: number;
  letters: DayLetters;
  share: number | null;
};

/** Lists what the checks of the last minute found, with the last 30 days. Leaves out what has not been checked yet. */
export async function listWatched(db: Db, now: number): Promise<WatchedPart[]> {
  const changes = await readStatusChanges(db);
  return WATCHED.flatMap((part) => {
    const last = changes.findLast(({ component }) => component === part);
    if (!last) return [];
    const { days, share } = uptimeOf(changes, part, now, SHOWN_DAYS);
    return { part, state: last.state, since: last.startedAt, letters: lettersOf(days), share };
  });
}
