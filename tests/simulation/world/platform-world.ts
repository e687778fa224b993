import type { SimulatedProduct } from "../product/simulated-product.ts";
import type { PlatformEvent } from "../scripts/plan-platform.ts";
import type { Handlers } from "./actor.ts";

export type PlatformWorld = {
  /** Real times in ms since 1970. */
  killedAt: number[];
  handlers: Handlers<PlatformEvent>;
};

/** What happens to the machines. `rooms` returns the chat rooms whose alarms a new process must know. */
export function openPlatform(product: SimulatedProduct, rooms: () => string[]): PlatformWorld {
  const killedAt: number[] = [];
  return {
    killedAt,
    handlers: {
      async kill({ afterRealMs }) {
        await new Promise((resolve) => setTimeout(resolve, afterRealMs));
        killedAt.push(Date.now());
        await product.kill(rooms());
      },
      database: (faults) => product.setDatabaseFaults(faults),
    },
  };
}
