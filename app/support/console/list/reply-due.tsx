import { useSyncExternalStore } from "react";
import { clockOffset } from "#app/components/formats/clock-offset.ts";
import { durationText } from "#app/support/inbox/response-time.ts";
import { MINUTE_MS } from "#app/time.ts";

const TICK_MS = 15_000;

/** Says how much time is left for a first reply, or by how much it is overdue, as the time passes. */
export function ReplyDue({ at }: { at: number }) {
  const tick = useSyncExternalStore(onTick, currentTick, () => null);
  // The server doesn't know when this is read.
  if (tick === null) return null;
  const left = at - (Date.now() + clockOffset());
  const time = durationText(Math.max(Math.ceil(Math.abs(left) / MINUTE_MS), 1) * MINUTE_MS);
  return left > 0 ? (
    <span className="shrink-0 whitespace-nowrap">Reply due in {time}</span>
  ) : (
    <span className="shrink-0 font-medium whitespace-nowrap text-bad">Overdue {time}</span>
  );
}

function onTick(changed: () => void): () => void {
  const timer = setInterval(changed, TICK_MS);
  return () => clearInterval(timer);
}

function currentTick(): number {
  return Math.floor(Date.now() / TICK_MS);
}
