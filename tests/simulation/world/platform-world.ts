import type { PlatformEvent } from "../scripts/plan-platform.ts";
import type { Handlers } from "./actor.ts";
import type { Site, Trouble } from "./site.ts";

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
        if (isRefused) begin();
        await site.setDatabaseFaults(faults);
        if (!isRefused) for (const trouble of troubles) end(trouble);
      },
    },
  };
}
