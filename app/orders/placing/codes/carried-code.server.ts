import { seal, unseal } from "#app/crypto/seal.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { readPercentCode, type UsableCode } from "#app/orders/prices/percent-code-use.server.ts";

/**
 * The percent code that goes along with an order to the top-up page and back, sealed in the URL: codes are stored nowhere, and
 * a URL is kept by browsers, logs and the payment page. Only a code that was tried with the order is sealed, and only for its
 * customer, so reading one isn't a guess that has to be counted.
 */

export const CARRIED_CODE = "sealed";
const MAX_SEALED_CHARACTERS = 400;

/** A code that came along. `terms` is null if it can't be used anymore; `refusal` says why. */
export type CarriedCode = { written: string; terms: UsableCode | null; refusal: string | null };

export function sealCode(encryptionKeys: string, userId: string, written: string): Promise<string> {
  return seal(encryptionKeys, sealContext(userId), written);
}

/** Returns the code of the URL with what it does now, or null without one that was sealed for this customer. */
export async function readCarriedCode(
  { db, env }: { db: Db; env: Pick<Env, "ENCRYPTION_KEYS"> },
  userId: string,
  searchParams: URLSearchParams,
): Promise<CarriedCode | null> {
  const sealed = searchParams.get(CARRIED_CODE);
  if (sealed === null || sealed.length > MAX_SEALED_CHARACTERS) return null;
  const written = await unseal(env.ENCRYPTION_KEYS, sealContext(userId), sealed).catch(() => null);
  if (written === null) return null;
  const found = await readPercentCode(db, userId, written);
  return found.ok ? { written, terms: found.code, refusal: null } : { written, terms: null, refusal: found.text };
}

function sealContext(userId: string): string {
  return `percent code of ${userId}`;
}
