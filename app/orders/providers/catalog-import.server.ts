import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { type Actor, audit } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { catalogChanges, providers, services } from "#app/db/schema.server.ts";
import { log, logError } from "#app/http/log.ts";
import { linkKindOf } from "#app/orders/rules/links/service-links.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { callProvider, type FulfillmentEnv, logProviderResponse, type Provider } from "./provider-calls.server.ts";
import { networkOf, type OfferedService, readCatalog, withMarkup } from "./provider-catalog.server.ts";

type Kind = (typeof catalogChanges.$inferInsert)["kind"];
type Change = { providerServiceId: string; kind: Kind; before: string; after: string };
type Known = Pick<
  typeof services.$inferSelect,
  "id" | "providerServiceId" | "providerRate" | "rate" | "min" | "max" | "enabled"
>;
export type Import =
  | { ok: true; changes: Change[] }
  | { ok: false; reason: "no_catalog" }
  /** The catalog changed after the preview. */
  | { ok: false; reason: "catalog_changed" };

/** Keeps the JSON well below the size limit of a bound parameter. */
const ROWS_PER_STATEMENT = 200;
const CHANGES_SHOWN = 500;

/** A change with our new rate (micro-units), which is null if the change does not affect it. */
export type PreviewedChange = Change & { name: string; ourRate: number | null };

export type Preview =
  | { ok: true; changes: PreviewedChange[]; digest: string; offered: number }
  | { ok: false; reason: "no_catalog" };

/**
 * Returns what an import would change. `digest` identifies exactly these changes; an import with it makes no others.
 */
export async function previewImport(db: Db, env: FulfillmentEnv, provider: Provider, markup: number): Promise<Preview> {
  const read = await readChanges(db, env, provider);
  if (!read) return { ok: false, reason: "no_catalog" };
  const byId = new Map(read.offered.map((service) => [service.providerServiceId, service]));
  const changes = read.changes.map((change) => {
    const service = byId.get(change.providerServiceId);
    const priced = service && (change.kind === "added" || change.kind === "price");
    return { ...change, name: service?.name ?? "", ourRate: priced ? withMarkup(service.rate, markup) : null };
  });
  return { ok: true, changes, digest: digestOf(read, markup), offered: read.offered.length };
}

/**
 * Imports a provider's catalog. New services start off sale, changed prices (with the markup) and limits are updated, and
 * removed services are taken off sale. Stores the changes as a report. `by` is the admin and the digest of their preview.
 */
export async function importCatalog(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  markup: number,
  by?: { actor: Actor; digest: string },
): Promise<Import> {
  const read = await readChanges(db, env, provider);
  if (!read) return { ok: false, reason: "no_catalog" };
  if (by && by.digest !== digestOf(read, markup)) return { ok: false, reason: "catalog_changed" };
  const entry =
    by &&
    audit(db, by.actor, {
      action: "provider.import",
      subject: "provider",
      subjectId: provider.id,
      detail: { markup, ...countByKind(read.changes) },
    });
  await store(db, provider, read.offered, read.changes, markup, entry ? [entry] : []);
  return { ok: true, changes: read.changes };
}

async function readChanges(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
): Promise<{ offered: OfferedService[]; changes: Change[] } | null> {
  const response = await callProvider(env, provider, { action: "services" });
  const catalog = response.kind === "json" ? readCatalog(response.body) : null;
  // An empty list is a provider's mistake. It must not take all its services off sale.
  if (!catalog || catalog.services.length === 0) {
    await logProviderResponse(db, provider, null, "services", response);
    return null;
  }
  const known = await db
    .select({
      id: services.id,
      providerServiceId: services.providerServiceId,
      providerRate: services.providerRate,
      rate: services.rate,
      min: services.min,
      max: services.max,
      enabled: services.enabled,
    })
    .from(services)
    .where(eq(services.providerId, provider.id));
  return { offered: catalog.services, changes: compare(known, catalog.services, catalog.unreadable) };
}

function digestOf(read: { changes: Change[] }, markup: number): string {
  return sha256(JSON.stringify([markup, read.changes]));
}

/** Returns the number of changes of each kind. */
export function countByKind(changes: Pick<Change, "kind">[]): Partial<Record<Kind, number>> {
  const counts: Partial<Record<Kind, number>> = {};
  for (const { kind } of changes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Imports the catalogs of all providers with a markup. Runs every night. */
export async function importCatalogs(db: Db, env: FulfillmentEnv): Promise<void> {
  const imported = await db
    .select()
    .from(providers)
    .where(and(eq(providers.enabled, true), isNotNull(providers.markupPercent)));
  for (const provider of imported) {
    try {
      const result = await importCatalog(db, env, provider, provider.markupPercent ?? 0);
      const found = result.ok ? { changes: result.changes.length } : { problem: result.reason };
      log(result.ok ? "info" : "warn", "catalog imported", { provider: provider.id, ...found });
    } catch (error) {
      logError("catalog import failed", error, { provider: provider.id });
    }
  }
}

export async function listCatalogChanges(db: Db, providerId: number) {
  return db
    .select()
    .from(catalogChanges)
    .where(eq(catalogChanges.providerId, providerId))
    .orderBy(desc(catalogChanges.id))
    .limit(CHANGES_SHOWN);
}

/** Compares our services with an offered catalog. Reports services with unreadable entries, which stay unchanged. */
export function compare(known: Known[], offered: OfferedService[], unreadable: string[]): Change[] {
  const byId = new Map(known.map((service) => [service.providerServiceId ?? "", service]));
  const seen = new Set([...offered.map(({ providerServiceId }) => providerServiceId), ...unreadable]);
  const changes: Change[] = unreadable.map((id) => ({
    providerServiceId: id,
    kind: "unreadable",
    before: "",
    after: "",
  }));
  for (const service of offered) {
    const { providerServiceId } = service;
    const ours = byId.get(providerServiceId);
    const add = (kind: Kind, before: string, after: string) => changes.push({ providerServiceId, kind, before, after });
    if (!ours) {
      add("added", "", service.name);
      continue;
    }
    if (ours.providerRate !== service.rate) {
      add("price", ours.providerRate === null ? "" : decimal(ours.providerRate, 2), decimal(service.rate, 2));
    }
    if (ours.min !== service.min || ours.max !== service.max) {
      add("limits", `${ours.min} to ${ours.max}`, `${service.min} to ${service.max}`);
    }
  }
  for (const [providerServiceId, ours] of byId) {
    if (!seen.has(providerServiceId) && ours.enabled) {
      changes.push({ providerServiceId, kind: "vanished", before: "", after: "" });
    }
  }
  return changes;
}

async function store(
  db: Db,
  provider: Provider,
  offered: OfferedService[],
  changes: Change[],
  markup: number,
  also: BatchItem<"sqlite">[],
): Promise<void> {
  const rows = offered
    .map((service) => ({
      ...service,
      network: networkOf(`${service.category} ${service.name}`),
      ourRate: withMarkup(service.rate, markup),
    }))
    .map((row) => ({ ...row, linkKind: linkKindOf(row) }));
  const upserts = chunks(rows, ROWS_PER_STATEMENT).map((part) => upsert(db, provider.id, part));
  const vanished = changes.filter(({ kind }) => kind === "vanished").map(({ providerServiceId }) => providerServiceId);
  const disable = db
    .update(services)
    .set({ enabled: false })
    .where(
      and(
        eq(services.providerId, provider.id),
        sql`${services.providerServiceId} in (select value from json_each(${JSON.stringify(vanished)}))`,
      ),
    );
  const report = chunks(changes, ROWS_PER_STATEMENT).map((part) =>
    db.insert(catalogChanges).select(sql`
      select null, ${provider.id}, value ->> 'providerServiceId', value ->> 'kind', value ->> 'before', value ->> 'after', ${Date.now()}
      from json_each(${JSON.stringify(part)})`),
  );
  await db.batch([disable, ...upserts, ...report, ...also]);
}

/** Updates only terms. A service keeps the name, category, position and state that staff gave it. */
function upsert(db: Db, providerId: number, rows: object[]) {
  // In the order of the table's columns.
  const values = sql`
    select null, value ->> 'network', value ->> 'category', value ->> 'name', '', value ->> 'type', value ->> 'ourRate',
      value ->> 'min', value ->> 'max', value ->> 'dripfeed', value ->> 'refill', null, value ->> 'cancel', 0,
      ${providerId}, value ->> 'providerServiceId', value ->> 'rate', 0, value ->> 'linkKind', 'warn'
    from json_each(${JSON.stringify(rows)}) where true`;
  return db
    .insert(services)
    .select(values)
    .onConflictDoUpdate({
      target: [services.providerId, services.providerServiceId],
      set: {
        // Keeps the rate that staff set if the provider's rate is unchanged.
        rate: sql`iif(${services.providerRate} is excluded.provider_rate, ${services.rate}, excluded.rate)`,
        min: sql`excluded.min`,
        max: sql`excluded.max`,
        dripfeed: sql`excluded.dripfeed`,
        refill: sql`excluded.refill`,
        cancel: sql`excluded.cancel`,
        providerRate: sql`excluded.provider_rate`,
      },
      // An unchanged service costs no write, and leaves the version of the catalog as it is.
      setWhere: sql`(${services.min}, ${services.max}, ${services.dripfeed}, ${services.refill}, ${services.cancel}, ${services.providerRate})
        is not (excluded.min, excluded.max, excluded.dripfeed, excluded.refill, excluded.cancel, excluded.provider_rate)`,
    });
}

function chunks<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, (n + 1) * size));
}
