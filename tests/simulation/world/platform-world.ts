import type { SimulatedProduct } from "../product/simulated-product.ts";
import type { PlatformEvent } from "../scripts/plan-platform.ts";
import type { Handlers } from "./actor.ts";
import type { Trouble } from "./site.ts";

export type PlatformWorld = {
  /** Real times in ms since 1970. */
  killedAt: number[];
  troubles: Trouble[];
  handlers: Handlers<PlatformEvent>;
};

/** What happens to the machines. `rooms` returns the chat rooms whose alarms a new process must know. */
export function openPlatform(product: SimulatedProduct, rooms: () => string[]): PlatformWorld {
  const killedAt: number[] = [];
  const troubles: Trouble[] = [];
  return {
    killedAt,
    troubles,
    handlers: {
      async kill({ afterRealMs }) {
        await new Promise((resolve) => setTimeout(resolve, afterRealMs));
        const trouble = { from: Date.now(), to: Number.POSITIVE_INFINITY };
        killedAt.push(trouble.from);
        troubles.push(trouble);
        await product.kill(rooms());
        trouble.to = Date.now();
      },
      async database(faults) {
        if (faults.refuse + faults.lose > 0) troubles.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
        await product.setDatabaseFaults(faults);
        if (faults.refuse + faults.lose > 0) return;
        for (const trouble of troubles) trouble.to = Math.min(trouble.to, Date.now());
      },
    },
  };
}
