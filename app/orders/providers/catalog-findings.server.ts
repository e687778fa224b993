import { and, isNull, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { Db } from "#app/db/db.server.ts";
import { inChunks } from "#app/db/row-chunks.ts";
import {
  type CATALOG_CHANGES,
  catalogChanges,
  type OfferedTerms,
  type QuarantineDecision,
  type QuarantineReason,
  quarantine,
  services,
} from "#app/db/schema.server.ts";
import type { KnownService } from "./catalog-judgment.ts";

/** The statements of what imports, nights and decisions find, decide and report. Each is one of a batch. */
type Statement = BatchItem<"sqlite">;

export type CatalogChange = {
  providerServiceId: string;
  kind: (typeof CATALOG_CHANGES)[number];
  before: string;
  after: string;
};

/** A change to put into quarantine, or an open one that changed. */
export type Finding = {
  /** The service as it was judged. */
  ours: KnownService;
  reason: QuarantineReason;
  offered: OfferedTerms | null;
  /** Its service goes off sale with it. */
  paused: boolean;
};

/**
 * Returns statements that quarantine changes. What was paused stays paused until it is decided or gone by. A service that has
 * changed since it was judged gets no finding.
 */
export function insertFindings(db: Db, providerId: number, findings: Finding[]): Statement[] {
  const rows = findings.map(({ ours, reason, offered, paused }) => {
    return { serviceId: ours.id, version: ours.version, reason, offered: offered && JSON.stringify(offered), paused };
  });
  const isJudged = sql`${services.id} = n.value ->> 'serviceId' and ${services.version} = n.value ->> 'version'`;
  return inChunks(rows, (json) =>
    db
      .insert(quarantine)
      // In the order of the table's columns.
      .select(sql`
        select null, ${providerId}, n.value ->> 'serviceId', n.value ->> 'reason', n.value ->> 'offered', n.value ->> 'paused',
          ${Date.now()}, null, null
        from json_each(${json}) n cross join ${services} where ${isJudged}`)
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

/** Returns statements that open decided findings again. One whose service has another open one is refused by the table. */
export function reopenFindings(db: Db, findingIds: number[]): Statement[] {
  return inChunks(findingIds, (json) =>
    db
      .update(quarantine)
      .set({ decidedAt: null, decision: null })
      .where(sql`${quarantine.id} in (select value from json_each(${json}))`),
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
