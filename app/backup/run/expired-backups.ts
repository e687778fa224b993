import { timeOfBackup } from "#app/backup/format/backup-objects.ts";
import { DAY_MS } from "#app/time.ts";

/** The newest backup of each of so many days, and of each of so many weeks. */
const DAILY = 14;
const WEEKLY = 8;

/** Returns which of these complete backups are no longer kept. The newest always is, and so is the newest sound one. */
export function expiredBackups(ids: string[], now: number, newestSound: string | null): string[] {
  const newestFirst = ids.toSorted().reverse();
  const kept = new Set([newestFirst[0], newestSound]);
  const days = new Set<number>();
  const weeks = new Set<number>();
  for (const id of newestFirst) {
    const day = Math.floor((timeOfBackup(id) ?? now) / DAY_MS);
    const today = Math.floor(now / DAY_MS);
    // 1970 began on a Thursday: weeks begin on Monday.
    const [week, thisWeek] = [day, today].map((one) => Math.floor((one + 3) / 7)) as [number, number];
    if (today - day < DAILY && !days.has(day)) kept.add(id);
    if (thisWeek - week < WEEKLY && !weeks.has(week)) kept.add(id);
    days.add(day);
    weeks.add(week);
  }
  return newestFirst.filter((id) => !kept.has(id));
}
