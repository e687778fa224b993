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

/** One action at the provider, with its own key. */
export async function callProvider(
  env: FulfillmentEnv,
  provider: Provider,
  params: Record<string, string>,
): Promise<ProviderResponse> {
  return postToProvider(await connectionTo(env, provider), params);
}

/** Returns what a call needs. Throws when the provider's address is not allowed or its key cannot be opened. */
export async function connectionTo(env: FulfillmentEnv, provider: Provider): Promise<{ apiUrl: string; key: string }> {
  if (!isPublicUrl(provider.apiUrl, env.ENVIRONMENT === "local")) {
    throw new Error(`provider ${provider.id} has an address that is not allowed`);
  }
  const key = await unseal(env.ENCRYPTION_KEYS, providerKeyContext(provider.name), provider.encryptedKey);
  return { apiUrl: provider.apiUrl, key };
}

/** Additional data of the sealed key: it opens only in this provider's row. */
export function providerKeyContext(providerName: string): string {
  return `provider:${providerName}`;
}

/** Raw answers are kept: a person may have to decide by them. */
export async function logProviderResponse(
  db: Db,
  provider: Provider,
  orderId: number | null,
  action: string,
  answer: ProviderResponse,
): Promise<void> {
  await db.insert(providerLog).values({
    providerId: provider.id,
    orderId,
    action,
    httpStatus: answer.httpStatus,
    response: answer.kind === "no_response" ? `${answer.why}\n${answer.raw}` : answer.raw,
    createdAt: Date.now(),
  });
}

/** Several failures in a row open the breaker: the provider is left alone for a while. */
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

/** The providers that may be asked now: enabled, and their breaker closed. */
export async function readyProviders(db: Db): Promise<Provider[]> {
  return db
    .select()
    .from(providers)
    .where(and(eq(providers.enabled, true), lte(providers.openUntil, Date.now())));
}
