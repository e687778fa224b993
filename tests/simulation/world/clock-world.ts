import type { ClockEvent } from "../scripts/plan-clocks.ts";
import type { Handlers } from "./actor.ts";
import type { ChatWorld } from "./chat-world.ts";
import type { World } from "./open-world.ts";
import type { Site } from "./site.ts";

/** People whose devices are wrong about the time. */
export function openClocks(site: Site, world: World, { visitors }: ChatWorld): Handlers<ClockEvent> {
  return {
    async wrong_clock({ by, person, offset }) {
      const owner = by === "visitor" ? visitors[person] : world.customers[person]?.person;
      owner?.setClock(offset);
      site.count("clock set wrong");
    },
  };
}
