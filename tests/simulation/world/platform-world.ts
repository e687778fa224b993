import type { PlatformEvent } from "../scripts/plan-platform.ts";
import { SECOND } from "../scripts/simulated-durations.ts";
import type { Handlers } from "./actor.ts";
import type { Site, Trouble } from "./site.ts";

/** Real ms in which people begin what they do while a database stands still. */
const MET_WITHIN_MS = 50;

export type PlatformWorld = {
  kills: Trouble[];
  /** All of them, with the kills. */
  troubles: Trouble[];
  handlers: Handlers<PlatformEvent>;
};

/** Opens the events that happen to the machines. `rooms` returns the chat rooms whose alarms a new process must know. */
export function openPlatform(site: Site, rooms: () => string[]): PlatformWorld {
  const kills: Trouble[] = [];
  const troubles: Trouble[] = [];
  const refusals: Trouble[] = [];
  const begin = (): Trouble => {
    const to = Number.POSITIVE_INFINITY;
    const trouble = { from: Date.now(), to, simulatedFrom: site.now(), simulatedTo: to };
    troubles.push(trouble);
    return trouble;
  };
  const end = (trouble: Trouble) => {
    trouble.to = Math.min(trouble.to, Date.now());
    trouble.simulatedTo = Math.min(trouble.simulatedTo, site.now());
  };
  return {
    kills,
    troubles,
    handlers: {
      async kill({ afterRealMs, name }) {
        // A request that isn't served never gets that far.
        if (name !== undefined) await Promise.race([site.reached(name), site.pause()]);
        await site.during(new Promise((resolve) => setTimeout(resolve, afterRealMs)));
        const kill = begin();
        kills.push(kill);
        await site.kill(rooms());
        end(kill);
      },
      async database(faults) {
        const isRefused = faults.refuse + faults.lose > 0;
        if (isRefused) refusals.push(begin());
        await site.setDatabaseFaults(faults);
        if (!isRefused) for (const trouble of refusals.splice(0)) end(trouble);
      },
      async stall({ point, ms }) {
        const trouble = begin();
        await site.stallDatabases({ point, ms });
        // People run into it first. Then time passes second by second, so that timeouts end in their order.
        await site.during(new Promise((resolve) => setTimeout(resolve, MET_WITHIN_MS)));
        for (let left = ms; left > 0; left -= SECOND) await site.advance(Math.min(left, SECOND));
        end(trouble);
      },
    },
  };
}
