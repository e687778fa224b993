import { runDurableObjectAlarm } from "cloudflare:test";
import { atScale } from "./at-scale.ts";

/** Repeats an alarm that a kill has ended at once, in `npm test`. Otherwise the platform does so after two seconds. */
export async function repeatAlarm(object: DurableObjectStub): Promise<void> {
  if (atScale(1, 0) === 1) await runDurableObjectAlarm(object);
}
