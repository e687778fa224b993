import type { AppLoadContext } from "@remix-run/cloudflare";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { callObject } from "#app/http/call-object.ts";
import { runLogged } from "#app/http/log.ts";
import { newAutoKey, type PlacedOrder } from "#app/orders/placing/place-order.server.ts";
import { type GateEnv, gateOf } from "./api-keys.server.ts";

/** The API key that places orders, and whether its gate knows of orders whose outcome the client was not told. */
export type OrderingKey = { digest: string; hasUnsettled: boolean };

/** How long the next call with the same content is taken for a repetition of one whose outcome was not told. */
export const UNSETTLED_MS = 60 * 60_000;
/** A call that was told a kept key has no outcome if it says none for so long. Longer than a call may take. */
export const TAKEN_MS = 60_000;

/**
 * Places an order for which the client gave no idempotency key. If the database does not answer, the order may be stored all
 * the same: its key is kept, and the next call with the same content gets that order, or places it. If the order has been
 * canceled meanwhile, places another. `contentOf` returns a digest. Goes on if the client hangs up.
 */
export function placeUnsettled(
  { env, waitUntil }: Pick<AppLoadContext, "waitUntil"> & { env: GateEnv },
  key: OrderingKey,
  contentOf: () => string,
  place: (idempotencyKey: string) => Promise<PlacedOrder>,
): Promise<PlacedOrder> {
  const settle = (settled: string) =>
    waitUntil(
      runLogged("unsettled order not forgotten", {}, () =>
        callObject(async () => gateOf(env, key.digest).settle(contentOf(), settled)),
      ),
    );
  const placed = placeAndKeep(env, key, contentOf, place, settle);
  waitUntil(placed.catch(() => {}));
  return placed;
}

async function placeAndKeep(
  env: GateEnv,
  { digest, hasUnsettled }: OrderingKey,
  contentOf: () => string,
  place: (idempotencyKey: string) => Promise<PlacedOrder>,
  settle: (idempotencyKey: string) => void,
): Promise<PlacedOrder> {
  const own = newAutoKey();
  const known = hasUnsettled ? await callObject(async () => gateOf(env, digest).takeUnsettled(contentOf(), own)) : null;
  let key = known ?? own;
  try {
    let placed = await place(key);
    if (known !== null) settle(known);
    if (known !== null && placed.ok && placed.replayed && placed.order.status === "Canceled") {
      key = own;
      placed = await place(key);
    }
    return placed;
  } catch (error) {
    if (known !== null || isUnavailable(error)) {
      await runLogged("unsettled order not kept", {}, () =>
        callObject(async () => gateOf(env, digest).keepUnsettled(contentOf(), key)),
      );
    }
    throw error;
  }
}
