import type { Component, ComponentState } from "#app/db/schema.server.ts";
import { MINUTE_MS } from "#app/time.ts";

type Change = { component: Component; startedAt: number; state: ComponentState };

/** A time in which a component was not operational. `endedAt` is null while it lasts. `state` is the worst in it. */
export type Incident = { component: Component; state: "degraded" | "down"; startedAt: number; endedAt: number | null };

/** Returns the newest incidents, newest first. `changes` are in order of time. */
export function incidentsOf(changes: Change[], limit: number): Incident[] {
  const open = new Map<Component, Incident>();
  const all: Incident[] = [];
  for (const { component, startedAt, state } of changes) {
    const known = open.get(component);
    if (state === "operational") {
      if (known) known.endedAt = startedAt;
      open.delete(component);
    } else if (known) {
      if (state === "down") known.state = "down";
    } else {
      const incident: Incident = { component, state, startedAt, endedAt: null };
      open.set(component, incident);
      all.push(incident);
    }
  }
  return all.toReversed().slice(0, limit);
}

/** Returns "12 min", "3 h 5 min" or "2 days 4 h". */
export function durationText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return hours % 24 === 0 ? `${hours / 24} days` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}
