import { and, eq, sql } from "drizzle-orm";
import { unseal } from "#app/crypto/seal.server.ts";
import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { type ProviderAction, providerLog, providers, providerUseDays } from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import { isPublicUrl } from "#app/http/outgoing/public-url.ts";
import { conventionNamed } from "./conventions/conventions.ts";
import type { TaughtWord } from "./dialect.server.ts";
import { type Connection, postToProvider } from "./provider-client.server.ts";
import type { ProviderPace } from "./provider-pace.ts";
import type { ProviderResponse } from "./reading/response.ts";

export type FulfillmentEnv = Pick<Env, "ENCRYPTION_KEYS" | "ENVIRONMENT" | "PUSH_DISPATCHER" | "WEBHOOK_DISPATCHER">;
/**
 * A provider's row, with what staff taught for it where its answers are read. In its dispatcher, all calls keep its pace and
 * are counted, as are the statements of a round. `balanceCurrency`: that of our balance there, null or missing if it isn't
 * known.
 */
export type Provider = typeof providers.$inferSelect & {
  pace?: ProviderPace;
  tally?: CallTally;
  statements?: StatementCount;
  balanceCurrency?: string | null;
  taught?: TaughtWord[];
};
/** Calls that aren't stored yet, and those among them without a response that says anything. */
export type CallTally = { calls: number; errors: number };
/** The statements that a round has sent to D1. */
export type StatementCount = { sent: number };

/**
 * A round begins nothing more after so many of the 1,000 statements that an invocation may send. The answers to calls that
 * are under way then need fewer than a hundred.
 */
const MAX_STATEMENTS = 850;

/** People only read the start of a response. One per call is kept for 30 days, so the rest would make a large table. */
export const MAX_LOGGED_CHARACTERS = 4000;
const BREAKER_FAILURES = 5;
/** The breaker opens for this long first, and twice as long after each probe that fails. */
const BREAKER_FIRST_MS = 15_000;
/** No divisor or multiple of a minute: a provider that fails at the same second of each minute would fail every probe. */
const BREAKER_MAX_MS = 45_000;
/** After a pause, the next orders show whether the provider has a working key and funds. They are queued again if not. */
const PAUSE_MS = 10 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** Calls one action of the provider's API, at its pace. */
export async function callProvider(
  env: FulfillmentEnv,
  provider: Provider,
  params: Record<string, string> & { action: ProviderAction },
): Promise<ProviderResponse> {
  const connection = await connectionTo(env, provider);
  const call = () => postToProvider(connection, params);
  return provider.pace ? provider.pace.run(call) : call();
}

/** Returns the URL, key and convention for calls. Throws if the URL is not allowed or the key cannot be decrypted. */
export async function connectionTo(env: FulfillmentEnv, provider: Provider): Promise<Connection> {
  if (!isPublicUrl(provider.apiUrl, env.ENVIRONMENT === "local")) {
    throw new Error(`provider ${provider.id} has a URL that is not allowed`);
  }
  const key = await unseal(env.ENCRYPTION_KEYS, providerKeyContext(provider.name), provider.encryptedKey);
  return { apiUrl: provider.apiUrl, key, convention: conventionNamed(provider.convention) };
}

/** Returns the additional data of a sealed key, which makes it readable only in its provider's row. */
export function providerKeyContext(providerName: string): string {
  return `provider:${providerName}`;
}

/** Keeps the start of a raw response, which a person may need to resolve an order. Await it, or put it in a batch. */
export function logProviderResponse(
  db: Db,
  provider: Provider,
  orderId: number | null,
  action: ProviderAction,
  response: ProviderResponse,
) {
  const text = response.kind === "json" ? response.raw : `${response.why}\n${response.raw}`;
  return db.insert(providerLog).values({
    providerId: provider.id,
    orderId,
    action,
    httpStatus: response.httpStatus,
    response: cutText(text, MAX_LOGGED_CHARACTERS),
    createdAt: Date.now(),
  });
}

/**
 * Counts a failure, or resets the count, also in `provider`. Several failures in a row open the breaker, which stops all
 * calls for a while. So does a 429 that says for how long. Writes nothing while all goes well.
 */
export async function noteResponse(
  db: Db,
  provider: Provider,
  { retryAfterMs }: Pick<ProviderResponse, "retryAfterMs">,
  failed: boolean,
): Promise<void> {
  if (provider.tally) {
    provider.tally.calls++;
    if (failed) provider.tally.errors++;
  }
  if (!failed && provider.failures === 0 && retryAfterMs === undefined) return;
  provider.failures = failed ? provider.failures + 1 : 0;
  const overdue = provider.failures - BREAKER_FAILURES;
  const breakerMs = overdue < 0 ? 0 : Math.min(BREAKER_MAX_MS, BREAKER_FIRST_MS * 2 ** overdue);
  const waitMs = Math.max(breakerMs, retryAfterMs ?? 0);
  if (waitMs > 0) provider.openUntil = Math.max(provider.openUntil, Date.now() + waitMs);
  const { failures, openUntil } = provider;
  await db.update(providers).set({ failures, openUntil }).where(isSameAccount(provider));
}

/** Adds calls to those of the UTC day, and clears the tally. Writes nothing if there were none. */
export async function storeCalls(db: Db, providerId: number, tally: CallTally, now = Date.now()): Promise<void> {
  const { calls, errors } = tally;
  if (calls === 0) return;
  await db
    .insert(providerUseDays)
    .values({ providerId, day: Math.floor(now / DAY_MS), calls, errors })
    .onConflictDoUpdate({
      target: [providerUseDays.providerId, providerUseDays.day],
      set: {
        calls: sql`${providerUseDays.calls} + excluded.calls`,
        errors: sql`${providerUseDays.errors} + excluded.errors`,
      },
    });
  // Those that were made meanwhile stay.
  tally.calls -= calls;
  tally.errors -= errors;
}

/** The provider's row, unless staff gave it another URL or key since: then what was learned is about the old ones. */
function isSameAccount({ id, apiUrl, encryptedKey }: Provider) {
  return and(eq(providers.id, id), eq(providers.apiUrl, apiUrl), eq(providers.encryptedKey, encryptedKey));
}

/** Returns whether calls may be made: the breaker is closed, the provider did not ask to be left alone, and answers can be stored. */
export function takesCalls(provider: Provider): boolean {
  return provider.openUntil <= Date.now() && mayGoOn(provider);
}

/** Returns whether this round may begin to store something more. */
export function mayGoOn({ statements }: Pick<Provider, "statements">): boolean {
  return statements === undefined || statements.sent < MAX_STATEMENTS;
}

/** Returns whether the breaker was open: the provider has to answer a call that costs nothing before it gets orders. */
export function needsProbe({ failures }: Pick<Provider, "failures">): boolean {
  return failures >= BREAKER_FAILURES;
}

/** Pauses orders to a provider that refuses all of them, until staff change it or the pause ends. */
export async function pauseProvider(db: Db, provider: Provider, cause: "key" | "funds"): Promise<void> {
  await db
    .update(providers)
    .set({ pausedFor: cause, pausedUntil: Date.now() + PAUSE_MS })
    .where(isSameAccount(provider));
  provider.pausedUntil = Date.now() + PAUSE_MS;
  // Without the provider's words, which may quote our key. They stand in its log of responses.
  log("error", "provider paused", { provider: provider.id, cause });
}

/** Records that the provider accepts orders again. */
export async function endPause(db: Db, provider: Provider): Promise<void> {
  await db.update(providers).set({ pausedFor: null, pausedUntil: 0 }).where(eq(providers.id, provider.id));
  provider.pausedFor = null;
}

/** Returns whether orders may be sent: the provider takes calls, is enabled and not paused. */
export function takesOrders(provider: Provider): boolean {
  return provider.enabled && takesCalls(provider) && provider.pausedUntil <= Date.now();
}
