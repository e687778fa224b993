import type { AppLoadContext } from "@remix-run/cloudflare";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { callObject } from "#app/http/call-object.ts";
import { runLogged } from "#app/http/log.ts";
import { newAutoKey, type PlacedOrder } from "#app/orders/placing/place-order.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { type GateEnv, gateOf } from "./api-keys.server.ts";

/** The API key that places orders, and whether its gate knows of orders whose outcome the client was not told. */
export type OrderingKey = { digest: string; hasUnsettled: boolean };

/** How long the next call with the same content is taken for a repetition of one whose outcome was not told. */
export const UNSETTLED_MS = HOUR_MS;
/** How long a call that took a kept key may take to report an outcome. Longer than any call lasts. */
export const TAKEN_MS = 60_000;

/**
 * Places an order for which the client gave no idempotency key. If the database does not answer, or the client hangs up
 * before we do (`hangUp` aborts), the order may be stored all the same: its key is kept, and the next call with the same
 * content gets that order, or places it. If the order has been canceled meanwhile, places another. `contentOf` returns a
 * digest. Goes on if the client hangs up.
 */
export function placeUnsettled(
  { env, waitUntil }: Pick<AppLoadContext, "waitUntil"> & { env: GateEnv },
  key: OrderingKey,
  contentOf: () => string,
  place: (idempotencyKey: string) => Promise<PlacedOrder>,
  hangUp: AbortSignal,
): Promise<PlacedOrder> {
  const placed = placeAndKeep(env, key, contentOf, place, hangUp);
  waitUntil(placed.catch(() => {}));
  return placed;
}

async function placeAndKeep(
  env: GateEnv,
  { digest, hasUnsettled }: OrderingKey,
  contentOf: () => string,
  place: (idempotencyKey: string) => Promise<PlacedOrder>,
  hangUp: AbortSignal,
): Promise<PlacedOrder> {
  const own = newAutoKey();
  const known = hasUnsettled ? await callObject(async () => gateOf(env, digest).takeUnsettled(contentOf(), own)) : null;
  let key = known ?? own;
  let last: Promise<boolean> = Promise.resolve(true);
  // One after the other, so that no key is forgotten after it was kept again.
  const tell = (failure: string, call: () => Promise<unknown>) => {
    last = last.then(() => runLogged(failure, {}, () => callObject(call)));
    return last;
  };
  let isKept: Promise<boolean> = Promise.resolve(false);
  const keep = () => {
    const kept = key;
    isKept = tell("unsettled order not kept", async () => gateOf(env, digest).keepUnsettled(contentOf(), kept));
    return isKept;
  };
  // At once: the client may repeat its call while this one waits.
  const onHangUp = () => void keep();
  if (hangUp.aborted) onHangUp();
  else hangUp.addEventListener("abort", onHangUp, { once: true });
  let isUntold = false;
  try {
    let placed = await place(key);
    // Awaited: if it were cut off, an equal order on purpose would get this one.
    if (known !== null && !hangUp.aborted) {
      await tell("unsettled order not forgotten", async () => gateOf(env, digest).settle(contentOf(), known));
    }
    const isCanceled = known !== null && placed.ok && placed.replayed && placed.order.status === "Canceled";
    // For a client that is gone, its repetition places the other order.
    if (isCanceled && !hangUp.aborted) {
      key = own;
      placed = await place(key);
    }
    return placed;
  } catch (error) {
    isUntold = known !== null || isUnavailable(error);
    throw error;
  } finally {
    hangUp.removeEventListener("abort", onHangUp);
    // Not twice: a repetition may have settled it meanwhile.
    if ((isUntold || hangUp.aborted) && !(await isKept)) await keep();
  }
}
