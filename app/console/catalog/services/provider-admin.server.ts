import { and, asc, desc, eq, getTableColumns, isNotNull, sql } from "drizzle-orm";
import { seal, unseal } from "#app/crypto/seal.server.ts";
import { type Actor, audit, changedSince, isRepeat } from "#app/db/audit.server.ts";
import { type Db, violates } from "#app/db/db.server.ts";
import { isStale, nextVersion } from "#app/db/row-version.server.ts";
import { orders, providerLog, providers, services } from "#app/db/schema.server.ts";
import { heldBy } from "#app/db/steps/order-steps.server.ts";
import { readSort, type Sort } from "#app/http/lists/list-query.ts";
import { isPublicUrl } from "#app/http/outgoing/public-url.ts";
import { isQueued, isSubmitting } from "#app/orders/fulfillment/indexed-conditions.server.ts";
import { TAUGHT_WORDS, WAITS_TO_BE_TAUGHT } from "#app/orders/providers/dialect.server.ts";
import { type FulfillmentEnv, type Provider, providerKeyContext } from "#app/orders/providers/provider-link.server.ts";
import { ownValue } from "#app/own-value.ts";

/** Providers, as staff set them up. Nothing here returns a provider's key to a page. */

export type ProviderRefusal = "not_found" | "name_taken" | "bad_address" | "key_needed" | "repeated" | "stale";
export type ProviderInput = {
  name: string;
  apiUrl: string;
  /** Empty to keep the current key. */
  key: string;
  enabled: boolean;
  /** How far a night may move a rate without a decision, in basis points. */
  riseLimit: number;
  concurrentCalls: number;
  /** Null: no limit. */
  callsPerMinute: number | null;
  honorsIdempotencyKeys: boolean;
  splitsComments: boolean;
};

const LOG_SHOWN = 20;

/** Every column but the key. */
const PUBLIC_COLUMNS = {
  id: providers.id,
  name: providers.name,
  apiUrl: providers.apiUrl,
  enabled: providers.enabled,
  failures: providers.failures,
  openUntil: providers.openUntil,
  pausedFor: providers.pausedFor,
  riseLimit: providers.riseLimit,
  concurrentCalls: providers.concurrentCalls,
  callsPerMinute: providers.callsPerMinute,
  honorsIdempotencyKeys: providers.honorsIdempotencyKeys,
  splitsComments: providers.splitsComments,
  createdAt: providers.createdAt,
  version: providers.version,
};

const SORTS = ["name", "services"] as const;

export function readProviderQuery(searchParams: URLSearchParams) {
  return { sort: readSort(searchParams, SORTS, "name"), sorts: SORTS };
}

/** Lists all providers: staff add each of them by hand. */
export async function listProviders(db: Db, { sort }: { sort: Sort<"name" | "services"> }) {
  const direction = sort.descending ? desc : asc;
  const byServices = sort.key === "services" ? [direction(sql`services`)] : [];
  return db
    .select({
      ...PUBLIC_COLUMNS,
      services: sql<number>`(select count(*) from ${services} where ${services.providerId} = providers.id)`.as(
        "services",
      ),
      margin: sql<number | null>`(select margin from price_rules where provider_id = providers.id and category = '')`,
      waiting: sql<number>`(select count(*) from quarantine where provider_id = providers.id and decided_at is null)`,
      unread: sql<number>`(select count(*) from unread_answers where provider_id = providers.id and ${WAITS_TO_BE_TAUGHT})`,
    })
    .from(providers)
    .orderBy(...byServices, byServices.length > 0 ? asc(providers.name) : direction(providers.name));
}

export async function readProvider(db: Db, providerId: number) {
  const [[provider], calls] = await db.batch([
    db.select(PUBLIC_COLUMNS).from(providers).where(eq(providers.id, providerId)).limit(1),
    db
      .select({
        id: providerLog.id,
        action: providerLog.action,
        httpStatus: providerLog.httpStatus,
        response: sql<string>`substr(${providerLog.response}, 1, 300)`,
        createdAt: providerLog.createdAt,
      })
      .from(providerLog)
      .where(sql`${providerLog.orderId} is null and ${providerLog.providerId} = ${providerId}`)
      .orderBy(sql`${providerLog.id} desc`)
      .limit(LOG_SHOWN),
  ]);
  return provider ? { provider, calls } : null;
}

/** Returns a provider's settings as they are, and who changed them since a form was read (ms). */
export async function readProviderChange(db: Db, providerId: number, since: number) {
  const [[provider], changed] = await Promise.all([
    db.select(PUBLIC_COLUMNS).from(providers).where(eq(providers.id, providerId)).limit(1),
    changedSince(db, "provider", providerId, since),
  ]);
  if (!provider) throw new Error("a changed provider is gone");
  return { provider, ...changed };
}

export async function addProvider(
  db: Db,
  env: FulfillmentEnv,
  actor: Actor,
  input: ProviderInput,
  onceKey: string,
): Promise<{ ok: true; providerId: number } | { ok: false; reason: Exclude<ProviderRefusal, "stale"> }> {
  const { key, ...settings } = input;
  const { name, apiUrl } = settings;
  if (!isPublicUrl(apiUrl, env.ENVIRONMENT === "local")) return { ok: false, reason: "bad_address" };
  if (key === "") return { ok: false, reason: "key_needed" };
  const encryptedKey = await seal(env.ENCRYPTION_KEYS, providerKeyContext(name), key);
  try {
    const [[created]] = await db.batch([
      db
        .insert(providers)
        .values({ ...settings, encryptedKey, createdAt: Date.now() })
        .returning({ id: providers.id }),
      audit(db, actor, {
        action: "provider.add",
        subject: "provider",
        subjectId: sql<string>`(select cast(max(id) as text) from providers)`,
        detail: audited(settings),
        onceKey,
      }),
    ]);
    if (!created) throw new Error("insert returned no provider");
    return { ok: true, providerId: created.id };
  } catch (error) {
    if (isRepeat(error)) return { ok: false, reason: "repeated" };
    if (violates(error, "providers.name")) return { ok: false, reason: "name_taken" };
    throw error;
  }
}

/**
 * Saves a provider. A new URL needs the key again, so that nobody can send an unknown key to their own URL. `version` is the
 * one that the form began from.
 */
export async function changeProvider(
  db: Db,
  env: FulfillmentEnv,
  actor: Actor,
  providerId: number,
  input: ProviderInput,
  version: number,
): Promise<{ ok: true } | { ok: false; reason: ProviderRefusal }> {
  const [before] = await db.select().from(providers).where(eq(providers.id, providerId)).limit(1);
  if (!before) return { ok: false, reason: "not_found" };
  const { key, ...changes } = input;
  const { name, apiUrl } = changes;
  if (!isPublicUrl(apiUrl, env.ENVIRONMENT === "local")) return { ok: false, reason: "bad_address" };
  if (key === "" && apiUrl !== before.apiUrl) return { ok: false, reason: "key_needed" };
  const encryptedKey = await sealedKey(env, before, name, key);
  const changed = Object.entries(changes).filter(([field, value]) => ownValue(before, field) !== value);
  const detail = {
    ...audited(Object.fromEntries(changed.map(([field, value]) => [field, [ownValue(before, field), value]]))),
    ...(key !== "" && { key: "replaced" }),
  };
  try {
    await db.batch([
      // New settings are tried at once: the breaker closes and the pause ends.
      db
        .update(providers)
        .set({
          ...changes,
          encryptedKey,
          failures: 0,
          openUntil: 0,
          pausedFor: null,
          pausedUntil: 0,
          // What was learned is about the old URL or account. What staff taught stays.
          ...((apiUrl !== before.apiUrl || key !== "") && { dialect: {} }),
          version: nextVersion(providers.version, version),
        })
        .where(eq(providers.id, providerId)),
      // Another provider or account doesn't know the keys of orders that were cut off.
      ...(apiUrl === before.apiUrl && key === "" && input.honorsIdempotencyKeys ? [] : holdResends(db, providerId)),
      audit(db, actor, { action: "provider.change", subject: "provider", subjectId: providerId, detail }),
    ]);
    return { ok: true };
  } catch (error) {
    if (isStale(error, "providers")) return { ok: false, reason: "stale" };
    if (violates(error, "providers.name")) return { ok: false, reason: "name_taken" };
    throw error;
  }
}

/** Returns the statements that hold what would be sent again, also if the call in progress is cut off. */
function holdResends(db: Db, providerId: number) {
  const ofProvider = and(eq(orders.providerId, providerId), isNotNull(orders.resendUntil));
  return [
    db.update(orders).set(heldBy("provider_changed", Date.now())).where(and(isQueued, ofProvider)),
    db.update(orders).set({ resendUntil: null }).where(and(isSubmitting, ofProvider)),
  ];
}

/** The name of an audit entry's subject is under `provider`. */
function audited({ name, ...settings }: Record<string, unknown>): Record<string, unknown> {
  return { ...(name !== undefined && { provider: name }), ...settings };
}

/** Returns a provider with its sealed key and what staff taught for it, for calls. Never pass it to a page. */
export async function readProviderWithKey(db: Db, providerId: number): Promise<Provider | null> {
  const columns = { ...getTableColumns(providers), taught: TAUGHT_WORDS };
  const [found] = await db.select(columns).from(providers).where(eq(providers.id, providerId)).limit(1);
  return found ?? null;
}

/** Returns the sealed key. The seal includes the provider's name, so a new name needs a new seal. */
async function sealedKey(env: FulfillmentEnv, before: Provider, name: string, key: string): Promise<string> {
  if (key !== "") return seal(env.ENCRYPTION_KEYS, providerKeyContext(name), key);
  if (name === before.name) return before.encryptedKey;
  const plain = await unseal(env.ENCRYPTION_KEYS, providerKeyContext(before.name), before.encryptedKey);
  return seal(env.ENCRYPTION_KEYS, providerKeyContext(name), plain);
}
