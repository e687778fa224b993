import { and, eq, lte, sql } from "drizzle-orm";
import { unseal } from "#app/crypto/seal.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { providerLog, providers } from "#app/db/schema.server.ts";
import { isPublicUrl } from "#app/http/requests/public-url.ts";
import { postToProvider } from "./provider-client.server.ts";
import type { ProviderResponse } from "./provider-responses.ts";

export type FulfillmentEnv = Pick<Env, "ENCRYPTION_KEYS" | "ENVIRONMENT">;
export type Provider = typeof providers.$inferSelect;

const BREAKER_FAILURES = 5;
const BREAKER_OPEN_MS = 60_000;

/** Calls one action of the provider's API. */
export async function callProvider(
  env: FulfillmentEnv,
  provider: Provider,
  params: Record<string, string>,
): Promise<ProviderResponse> {
  return postToProvider(await connectionTo(env, provider), params);
}

/** Returns the URL and key for calls. Throws if the URL is not allowed or the key cannot be decrypted. */
export async function connectionTo(env: FulfillmentEnv, provider: Provider): Promise<{ apiUrl: string; key: string }> {
  if (!isPublicUrl(provider.apiUrl, env.ENVIRONMENT === "local")) {
    throw new Error(`provider ${provider.id} has a URL that is not allowed`);
  }
  const key = await unseal(env.ENCRYPTION_KEYS, providerKeyContext(provider.name), provider.encryptedKey);
  return { apiUrl: provider.apiUrl, key };
}

/** Returns the additional data of a sealed key, which makes it readable only in its provider's row. */
export function providerKeyContext(providerName: string): string {
  return `provider:${providerName}`;
}

/** Keeps the raw response, because a person may need it to resolve an order. */
export async function logProviderResponse(
  db: Db,
  provider: Provider,
  orderId: number | null,
  action: string,
  response: ProviderResponse,
): Promise<void> {
  await db.insert(providerLog).values({
    providerId: provider.id,
    orderId,
    action,
    httpStatus: response.httpStatus,
    response: response.kind === "no_response" ? `${response.why}\n${response.raw}` : response.raw,
    createdAt: Date.now(),
  });
}

/** Counts a failure, or resets the count. Several failures in a row open the breaker, which pauses the provider. */
export async function countFailure(db: Db, provider: Provider, failed: boolean): Promise<void> {
  if (!failed) {
    if (provider.failures > 0) {
      await db.update(providers).set({ failures: 0, openUntil: 0 }).where(eq(providers.id, provider.id));
    }
    return;
  }
  const openUntil = Date.now() + BREAKER_OPEN_MS;
  await db
    .update(providers)
    .set({
      failures: sql`${providers.failures} + 1`,
      openUntil: sql`iif(${providers.failures} + 1 >= ${BREAKER_FAILURES}, ${openUntil}, ${providers.openUntil})`,
    })
    .where(eq(providers.id, provider.id));
}

/** Returns the enabled providers whose breaker is closed. */
export async function readyProviders(db: Db): Promise<Provider[]> {
  return db
    .select()
    .from(providers)
    .where(and(eq(providers.enabled, true), lte(providers.openUntil, Date.now())));
}
