import { DAY_MS } from "#app/time.ts";

type State = "operational" | "degraded" | "down";
type Change = { component: string; startedAt: number; state: State };

/** A UTC day of a component. `state` is the worst of the day, or null if nothing was checked. */
export type UptimeDay = { day: number; state: State | null; downMs: number; degradedMs: number };
export type Uptime = {
  days: UptimeDay[] /** The share of the checked time in which it was not down, or null. */;
  share: number | null;
};

/** Days that the status page draws, and that changes are kept. */
export const STATUS_DAYS = 90;

/** Returns the last `count` days of a component, oldest first, up to `now`. `changes` are in order of time. */
export function uptimeOf(changes: Change[], component: string, now: number, count: number): Uptime {
  const own = changes.filter((change) => change.component === component && change.startedAt <= now);
  const today = Math.floor(now / DAY_MS);
  let checkedMs = 0;
  let allDownMs = 0;
  const days = Array.from({ length: count }, (_, at): UptimeDay => {
    const day = today - count + 1 + at;
    const [from, to] = [day * DAY_MS, Math.min((day + 1) * DAY_MS, now)];
    const ms = { operational: 0, degraded: 0, down: 0 };
    let isChecked = false;
    for (const [index, { startedAt, state }] of own.entries()) {
      const until = own[index + 1]?.startedAt ?? now;
      const part = Math.min(until, to) - Math.max(startedAt, from);
      if (part < 0 || (part === 0 && startedAt !== now)) continue;
      isChecked = true;
      ms[state] += part;
    }
    checkedMs += ms.operational + ms.degraded + ms.down;
    allDownMs += ms.down;
    const worst = ms.down > 0 ? "down" : ms.degraded > 0 ? "degraded" : "operational";
    return { day, state: isChecked ? worst : null, downMs: ms.down, degradedMs: ms.degraded };
  });
  return { days, share: checkedMs === 0 ? null : 1 - allDownMs / checkedMs };
}
