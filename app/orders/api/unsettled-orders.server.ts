import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { callObject } from "#app/http/call-object.ts";
import { runLogged } from "#app/http/log.ts";
import { type GateEnv, gateOf } from "./api-keys.server.ts";

/** The API key that places orders, and whether its gate knows of orders whose outcome the client was not told. */
export type OrderingKey = { digest: string; hasUnsettled: boolean };

/** How long the next call with the same content is taken for a repetition of one whose outcome was not told. */
export const UNSETTLED_MS = 24 * 60 * 60_000;

/**
 * Places an order for which the client gave no idempotency key. If the database does not answer, the order may be stored all
 * the same: its key is kept, and the next call with the same content gets that order, or places it. `contentOf` returns a
 * digest.
 */
export async function placeUnsettled<T>(
  env: GateEnv,
  { digest, hasUnsettled }: OrderingKey,
  contentOf: () => string,
  newKey: () => string,
  place: (idempotencyKey: string) => Promise<T>,
): Promise<T> {
  const known = hasUnsettled ? await gateOf(env, digest).takeUnsettled(contentOf()) : null;
  const key = known ?? newKey();
  try {
    return await place(key);
  } catch (error) {
    if (isUnavailable(error)) {
      await runLogged("unsettled order not kept", {}, () =>
        callObject(async () => gateOf(env, digest).keepUnsettled(contentOf(), key)),
      );
    }
    throw error;
  }
}
