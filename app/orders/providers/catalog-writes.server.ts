import { and, isNull, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Db } from "#app/db/db.server.ts";
import { raisedVersion } from "#app/db/row-version.server.ts";
import {
  type CATALOG_CHANGES,
  catalogChanges,
  type OfferedTerms,
  type QuarantineDecision,
  type QuarantineReason,
  quarantine,
  services,
} from "#app/db/schema.server.ts";
import { linkKindOf } from "#app/orders/rules/links/service-links.ts";
import type { KnownService } from "./catalog-judgment.ts";
import { networkOf, type OfferedService } from "./provider-catalog.server.ts";

/** The statements by which imports, nights and decisions change services. Each is one of a batch. */
type Statement = BatchItem<"sqlite">;

export type CatalogChange = {
  providerServiceId: string;
  kind: (typeof CATALOG_CHANGES)[number];
  before: string;
  after: string;
};

/** Keeps the JSON well below the size limit of a bound parameter. */
const ROWS_PER_STATEMENT = 200;

/** A service's new terms. */
export type TermsUpdate = {
  /** As it was read. */
  ours: Pick<KnownService, "id" | "version">;
  /** The provider's terms, as ours. */
  terms: Omit<OfferedTerms, "category">;
  ourRate: number;
  /** Null: the rate is one that staff set. */
  ruleRate: number | null;
  /** A person decided on these terms: what nights change adds up from here. */
  isDecided: boolean;
  /** Null: on or off sale as before. */
  enabled: boolean | null;
};

/** Returns statements that update services. `stale` is what a service does that changed meanwhile: "refuse" fails the batch. */
export function updateTerms(db: Db, updates: TermsUpdate[], stale: "skip" | "refuse"): Statement[] {
  const rows = updates.map(({ ours, terms, ...rest }) => ({ ...ours, ...terms, ...rest }));
  const given = (name: string) => sql`n.value ->> ${sql.raw(`'${name}'`)}`;
  const isCurrent = sql`${services.version} = ${given("version")}`;
  const isService = sql`${services.id} = ${given("id")}`;
  return inChunks(rows, (json) =>
    db
      .update(services)
      .set({
        type: given("type"),
        min: given("min"),
        max: given("max"),
        dripfeed: given("dripfeed"),
        refill: given("refill"),
        cancel: given("cancel"),
        rate: given("ourRate"),
        providerRate: given("rate"),
        ruleRate: given("ruleRate"),
        decidedRate: sql`iif(${given("isDecided")}, ${given("ourRate")}, coalesce(${services.decidedRate}, ${services.rate}))`,
        decidedCost: sql`iif(${given("isDecided")}, ${given("rate")},
          coalesce(${services.decidedCost}, ${services.providerRate}, ${given("rate")}))`,
        enabled: sql`coalesce(${given("enabled")}, ${services.enabled})`,
        keptWhileGone: false,
        version:
          stale === "skip" ? raisedVersion(services.version) : sql`iif(${isCurrent}, ${services.version} + 1, null)`,
      })
      .from(sql`json_each(${json}) n`)
      .where(stale === "skip" ? and(isService, isCurrent) : isService),
  );
}

/** Returns statements that put services on or off sale. `keptWhileGone`: on sale without being in the catalog. */
export function switchServices(
  db: Db,
  serviceIds: number[],
  { enabled, keptWhileGone = false }: { enabled: boolean; keptWhileGone?: boolean },
): Statement[] {
  return inChunks(serviceIds, (json) =>
    db
      .update(services)
      .set({ enabled, keptWhileGone, version: raisedVersion(services.version) })
      .where(
        and(
          sql`${services.id} in (select value from json_each(${json}))`,
          sql`(${services.enabled}, ${services.keptWhileGone}) is not (${Number(enabled)}, ${Number(keptWhileGone)})`,
        ),
      ),
  );
}

/** Returns statements that add services off sale, with the rates that their rules give. */
export function insertServices(
  db: Db,
  providerId: number,
  offered: { service: OfferedService; ourRate: number }[],
): Statement[] {
  const rows = offered
    .map(({ service, ourRate }) => ({
      ...service,
      network: networkOf(`${service.category} ${service.name}`),
      ourRate,
    }))
    .map((row) => ({ ...row, linkKind: linkKindOf(row) }));
  return inChunks(rows, (json) =>
    db
      .insert(services)
      // In the order of the table's columns.
      .select(sql`
        select null, value ->> 'network', value ->> 'category', value ->> 'name', '', value ->> 'type', value ->> 'ourRate',
          value ->> 'min', value ->> 'max', value ->> 'dripfeed', value ->> 'refill', null, value ->> 'cancel', 0,
          ${providerId}, value ->> 'providerServiceId', value ->> 'rate', 0, value ->> 'linkKind', 'warn', 1,
          value ->> 'ourRate', value ->> 'ourRate', value ->> 'rate', 0
        from json_each(${json}) where true`)
      .onConflictDoNothing(),
  );
}

/** A change to put into quarantine, or an open one that changed. */
export type Finding = {
  serviceId: number;
  /** The service's version that was judged. */
  version: number;
  reason: QuarantineReason;
  offered: OfferedTerms | null;
  /** Its service goes off sale with it. */
  paused: boolean;
};

/**
 * Returns statements that quarantine changes. What was paused stays paused until it is decided or gone by. A service that has
 * changed since it was judged gets no finding, and fails the batch if it was to be paused.
 */
export function insertFindings(db: Db, providerId: number, findings: Finding[]): Statement[] {
  const rows = findings.map((finding) => ({ ...finding, offered: finding.offered && JSON.stringify(finding.offered) }));
  const isCurrent = sql`${services.version} = n.value ->> 'version'`;
  const isService = sql`${services.id} = n.value ->> 'serviceId'`;
  const inserts = inChunks(rows, (json) =>
    db
      .insert(quarantine)
      // In the order of the table's columns.
      .select(sql`
        select null, ${providerId}, n.value ->> 'serviceId', n.value ->> 'reason', n.value ->> 'offered', n.value ->> 'paused',
          ${Date.now()}, null, null
        from json_each(${json}) n cross join ${services} where ${isService} and ${isCurrent}`)
      .onConflictDoUpdate({
        target: quarantine.serviceId,
        targetWhere: isNull(quarantine.decidedAt),
        set: {
          reason: sql`excluded.reason`,
          offered: sql`excluded.offered`,
          paused: sql`max(${quarantine.paused}, excluded.paused)`,
        },
      }),
  );
  const paused = rows.filter((finding) => finding.paused);
  const switched = inChunks(paused, (json) =>
    db
      .update(services)
      .set({
        enabled: false,
        keptWhileGone: false,
        version: sql`iif(${isCurrent}, ${services.version} + 1, null)`,
      })
      .from(sql`json_each(${json}) n`)
      .where(isService),
  );
  return [...inserts, ...switched];
}

/**
 * Returns statements that close findings by a person's decision. One that is no longer open, or that a night replaced since it
 * was read, gets no decision, which the table refuses: that rolls the whole batch back.
 */
export function decideFindings(
  db: Db,
  findings: Pick<typeof quarantine.$inferSelect, "id" | "reason" | "offered">[],
  decision: QuarantineDecision,
): Statement[] {
  const rows = findings.map(({ id, reason, offered }) => ({ id, reason, offered: offered && JSON.stringify(offered) }));
  const isAsRead = sql`(${quarantine.decidedAt}, ${quarantine.reason}, ${quarantine.offered}) is
    (null, n.value ->> 'reason', n.value ->> 'offered')`;
  return inChunks(rows, (json) =>
    db
      .update(quarantine)
      .set({ decision: sql`iif(${isAsRead}, ${decision}, null)`, decidedAt: Date.now() })
      .from(sql`json_each(${json}) n`)
      .where(sql`${quarantine.id} = n.value ->> 'id'`),
  );
}

/** Returns statements that close open findings of services. */
export function closeFindings(db: Db, serviceIds: number[], decision: QuarantineDecision): Statement[] {
  return inChunks(serviceIds, (json) =>
    db
      .update(quarantine)
      .set({ decision, decidedAt: Date.now() })
      .where(and(isNull(quarantine.decidedAt), sql`${quarantine.serviceId} in (select value from json_each(${json}))`)),
  );
}

/** Returns statements that keep the changes as the report of an import. */
export function insertReport(db: Db, providerId: number, changes: CatalogChange[]): Statement[] {
  const now = Date.now();
  return inChunks(changes, (json) =>
    db.insert(catalogChanges).select(sql`
      select null, ${providerId}, value ->> 'providerServiceId', value ->> 'kind', value ->> 'before', value ->> 'after', ${now}
      from json_each(${json})`),
  );
}

function inChunks<Row>(rows: Row[], statement: (json: string) => Statement): Statement[] {
  return Array.from({ length: Math.ceil(rows.length / ROWS_PER_STATEMENT) }, (_, n) =>
    statement(JSON.stringify(rows.slice(n * ROWS_PER_STATEMENT, (n + 1) * ROWS_PER_STATEMENT))),
  );
}

/** Runs the statements together. A batch without any is an error there. */
export async function runAll(db: Db, statements: Statement[]): Promise<void> {
  const [first, ...rest] = statements;
  if (first) await db.batch([first, ...rest]);
}
