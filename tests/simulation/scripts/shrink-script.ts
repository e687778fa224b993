import type { Script, WorldEvent } from "./script.ts";

/** A part that can be left out of a script as one: an order with what follows from it, a fault, or a provider's trouble. */
type Part = { events: WorldEvent[]; mode: { provider: number; index: number } | null };

/**
 * Makes a script smaller while it still fails, by leaving out halves, then quarters, down to single parts. `fails` runs
 * a script; it is asked at most `maxRuns` times.
 */
export async function shrinkScript(
  script: Script,
  fails: (candidate: Script) => Promise<boolean>,
  maxRuns: number,
): Promise<Script> {
  let parts = partsOf(script);
  let runs = 0;
  for (let size = Math.ceil(parts.length / 2); size >= 1 && runs < maxRuns; ) {
    let dropped = false;
    for (let from = 0; from < parts.length && runs < maxRuns; ) {
      const fewer = [...parts.slice(0, from), ...parts.slice(from + size)];
      runs++;
      if (await fails(scriptOf(script, fewer))) {
        parts = fewer;
        dropped = true;
      } else {
        from += size;
      }
    }
    if (size === 1 && !dropped) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return scriptOf(script, parts);
}

function partsOf({ events, providers }: Script): Part[] {
  const byOrder = new Map<string, WorldEvent[]>();
  const parts: Part[] = [];
  for (const event of events) {
    const order = partOf(event);
    if (order === null) {
      parts.push({ events: [event], mode: null });
      continue;
    }
    const known = byOrder.get(order);
    if (known) known.push(event);
    else {
      const own = [event];
      byOrder.set(order, own);
      parts.push({ events: own, mode: null });
    }
  }
  for (const [provider, { modes }] of providers.entries()) {
    for (const index of modes.keys()) parts.push({ events: [], mode: { provider, index } });
  }
  return parts;
}

/** Returns the name of the order, top-up or webhook that an event belongs to, or null. */
function partOf(event: WorldEvent): string | null {
  if ("name" in event && event.name !== undefined) return event.name;
  if ("order" in event) return event.order;
  if ("top_up" in event) return event.top_up;
  return "webhook" in event ? event.webhook : null;
}

function scriptOf(script: Script, parts: Part[]): Script {
  const kept = new Set(parts.map(({ mode }) => mode && `${mode.provider}/${mode.index}`));
  return {
    ...script,
    events: parts.flatMap(({ events }) => events).sort((a, b) => a.at - b.at),
    providers: script.providers.map(({ modes, ...rest }, provider) => ({
      ...rest,
      modes: modes.filter((_, index) => kept.has(`${provider}/${index}`)),
    })),
  };
}
