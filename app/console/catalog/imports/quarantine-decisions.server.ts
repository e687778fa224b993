import { and, asc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { named } from "#app/db/column-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  type OfferedTerms,
  providers,
  QUARANTINE_REASONS,
  type QuarantineReason,
  quarantine,
  services,
} from "#app/db/schema.server.ts";
import { decideFindings } from "#app/orders/providers/catalog-findings.server.ts";
import { selectRulesInOurCurrency } from "#app/orders/providers/catalog-offers.server.ts";
import { limitsText } from "#app/orders/providers/catalog-report.ts";
import { switchSale, takeTerms } from "#app/orders/providers/offered-changes.ts";
import { type PriceRule, priceByRule, ruleFinder } from "#app/orders/providers/price-rule.ts";
import { changeServices, refusalOf } from "#app/orders/services/change-services.server.ts";
import { idsIn, restoreIn, type ServiceChange, valuesIn } from "#app/orders/services/service-change.ts";
import type { Agreed, Refusal } from "#app/orders/services/service-guard.ts";
import type { OtherTerms } from "./new-terms.ts";
import { type ChangeKey, type LeftChange, readChangeKey, type ShownFigures, writeChangeKey } from "./shown-change.ts";

/** Possible decisions. `take`: the provider's terms at our rule's rate. `keep`: the provider's terms at our rate. */
export const DECISIONS = ["take", "keep", "off"] as const;
export type Decision = (typeof DECISIONS)[number];

/** Also the most that one decision can be about. */
export const WAITING_SHOWN = 10_000;
/** Tries of a decision about what is left, if something changes at the same moment. */
const ATTEMPTS = 4;

/** A change that waits for a decision, with what each decision makes of it. Rates in micro-units. */
export type WaitingRow = {
  id: number;
  /** Names the change as it was shown. Another offer or rate has another one. */
  key: string;
  providerId: number;
  provider: string;
  serviceId: number;
  name: string;
  reason: QuarantineReason;
  isOnSale: boolean;
  isPaused: boolean;
  foundAt: number;
  cost: [number | null, number | null];
  rate: number;
  /** The rate by our rule, or null without an offer or a rule. */
  rateByRule: number | null;
  /** The rule's category. */
  rule: string | null;
  /** Keeping our rate would sell below cost, which somebody has to agree to. */
  asksForLoss: boolean;
  /** Other terms that change. */
  terms: string;
} & OtherTerms;

/** `left` are those that changed since they were shown. If all did, nothing was decided. */
export type Decided =
  | { ok: true; decided: number; left: LeftChange[] }
  | { ok: false; reason: "changed_meanwhile"; left: LeftChange[] }
  | { ok: false; reason: "nothing_offered" | "no_rule" | "busy" | Refusal };

type Row = Awaited<ReturnType<typeof readWaiting>>[number];

/** Lists what waits for a decision, by provider and reason, the worst first. */
export async function listWaiting(db: Db, providerId: number | null): Promise<WaitingRow[]> {
  return listWaitingWhere(db, providerId === null ? undefined : eq(quarantine.providerId, providerId));
}

/** Lists those of what waits that meet a condition on `quarantine`, in the order of `listWaiting`. */
export async function listWaitingWhere(db: Db, condition: SQL | undefined): Promise<WaitingRow[]> {
  const rows = await readWaiting(db, condition);
  const shown = rows.map((row): WaitingRow => {
    const { offered, service } = row;
    return {
      id: row.id,
      key: keyOf(row),
      providerId: row.providerId,
      provider: row.provider,
      serviceId: service.id,
      name: service.name,
      reason: row.reason,
      isOnSale: service.enabled,
      isPaused: row.paused && !service.enabled,
      foundAt: row.foundAt,
      cost: [service.providerRate, offered?.rate ?? null],
      rate: service.rate,
      rateByRule: figuresOf(row).rateByRule,
      rule: ruleOf(row)?.category ?? null,
      asksForLoss: refusalOf([changeOf(row, "keep")], {}) === "below_cost",
      terms: offered ? otherTerms(service, offered) : "",
      hasNewType: offered !== null && offered.type !== service.type,
      hasNewLimits: offered !== null && (offered.min !== service.min || offered.max !== service.max),
    };
  });
  return shown.sort((one, other) => byUrgency(one, other) || one.id - other.id);
}

/** Compares by provider and reason, the worst first. */
export function byUrgency(
  one: { providerId: number; reason: QuarantineReason },
  other: { providerId: number; reason: QuarantineReason },
): number {
  const rank = (reason: QuarantineReason) => QUARANTINE_REASONS.indexOf(reason);
  return one.providerId - other.providerId || rank(one.reason) - rank(other.reason);
}

/**
 * Decides changes that wait. Each key names what the person saw; those that have changed since are left alone, and returned.
 * What was paused goes back on sale, unless it is to stay off.
 */
export async function decideWaiting(
  db: Db,
  actor: Actor,
  decision: Decision,
  keys: ReadonlySet<string>,
  agreed: Agreed = {},
): Promise<Decided> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { rows, left } = await readShown(db, keys);
    if (rows.length === 0) return { ok: false, reason: "changed_meanwhile", left };
    const refusal = await decideRows(db, actor, decision, rows, agreed);
    if (refusal === null) return { ok: true, decided: rows.length, left };
    if (refusal !== "stale") return { ok: false, reason: refusal };
  }
  return { ok: false, reason: "busy" };
}

/** Returns what waits as the keys say, and what doesn't any more. */
async function readShown(db: Db, keys: ReadonlySet<string>): Promise<{ rows: Row[]; left: LeftChange[] }> {
  const named = [...keys].map(readChangeKey).filter((key) => key !== null);
  const ids = JSON.stringify(named.map(({ serviceId }) => serviceId));
  const waiting = await readWaiting(db, sql`${quarantine.serviceId} in (select value from json_each(${ids}))`);
  const rows = waiting.filter((row) => keys.has(keyOf(row)));
  if (rows.length === named.length) return { rows, left: [] };
  const current = new Set(rows.map(({ id }) => id));
  const byService = new Map(waiting.map((row) => [row.service.id, row]));
  const others = named.filter(({ serviceId }) => !current.has(byService.get(serviceId)?.id ?? 0));
  const ended = await readEnded(db, others);
  const left = others.map(({ serviceId, findingId, shown }): LeftChange => {
    const row = byService.get(serviceId);
    const end = ended.get(findingId);
    return {
      serviceId,
      name: row?.service.name ?? end?.name ?? `Service ${serviceId}`,
      shown,
      now: row ? { ...figuresOf(row), reason: row.reason } : null,
      decision: end?.decision ?? null,
    };
  });
  return { rows, left };
}

/** Returns how changes ended, by their id. */
async function readEnded(db: Db, keys: ChangeKey[]) {
  const ids = JSON.stringify(keys.map(({ findingId }) => findingId));
  const rows = await db
    .select({ id: quarantine.id, decision: quarantine.decision, name: services.name })
    .from(quarantine)
    .innerJoin(services, eq(services.id, quarantine.serviceId))
    .where(sql`${quarantine.id} in (select value from json_each(${ids}))`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Decides about all rows or none. Returns why not, or null. "stale": one of them isn't as it was read. */
async function decideRows(
  db: Db,
  actor: Actor,
  decision: Decision,
  rows: Row[],
  agreed: Agreed,
): Promise<"nothing_offered" | "no_rule" | Refusal | null> {
  if (decision === "take") {
    if (rows.some(({ offered }) => !offered)) return "nothing_offered";
    if (rows.some((row) => !ruleOf(row))) return "no_rule";
  }
  const told = [...Map.groupBy(rows, ({ providerId }) => providerId)].map(([subjectId, decided]) => {
    const changes = decided.map((row) => changeOf(row, decision));
    const detail = { services: idsIn(changes), rates: valuesIn(changes, "rate"), restore: restoreIn(changes) };
    return { changes, entry: { action: `quarantine.${decision}`, subject: "provider", subjectId, detail } as const };
  });
  const saved = await changeServices(db, actor, told, agreed, decideFindings(db, rows, decision));
  return saved.ok ? null : saved.reason;
}

/** Returns what a decision changes of a service. One that is gone is only switched. */
function changeOf(row: Row, decision: Decision): ServiceChange {
  const { offered, service, paused } = row;
  if (!offered) return switchSale(service, { enabled: decision !== "off", keptWhileGone: decision !== "off" });
  const rule = decision === "take" ? ruleOf(row) : null;
  const byRule = rule && priceByRule(rule, offered.rate);
  return takeTerms(service, {
    terms: offered,
    ourRate: byRule ?? service.rate,
    ruleRate: decision === "keep" ? null : (byRule ?? service.ruleRate),
    isDecided: true,
    enabled: decision !== "off" && (paused || service.enabled),
  });
}

async function readWaiting(db: Db, condition: SQL | undefined) {
  const [rows, rules] = await Promise.all([
    db
      .select({
        id: quarantine.id,
        providerId: quarantine.providerId,
        provider: named(providers.name, "provider"),
        reason: quarantine.reason,
        offered: quarantine.offered,
        paused: quarantine.paused,
        foundAt: quarantine.foundAt,
        service: {
          id: named(services.id, "service_id"),
          version: services.version,
          name: services.name,
          type: services.type,
          rate: services.rate,
          providerRate: services.providerRate,
          ruleRate: services.ruleRate,
          min: services.min,
          max: services.max,
          enabled: services.enabled,
          dripfeed: services.dripfeed,
          refill: services.refill,
          cancel: services.cancel,
          decidedRate: services.decidedRate,
          decidedCost: services.decidedCost,
          keptWhileGone: services.keptWhileGone,
        },
      })
      .from(quarantine)
      .innerJoin(services, eq(services.id, quarantine.serviceId))
      .innerJoin(providers, eq(providers.id, quarantine.providerId))
      .where(and(isNull(quarantine.decidedAt), condition))
      .orderBy(asc(quarantine.providerId), asc(quarantine.reason), asc(quarantine.id))
      .limit(WAITING_SHOWN),
    selectRulesInOurCurrency(db),
  ]);
  const ofProvider = Map.groupBy(rules, (rule) => rule.providerId);
  const finders = new Map([...ofProvider].map(([id, own]) => [id, ruleFinder<PriceRule>(own)]));
  const noRule = ruleFinder<PriceRule>([]);
  return rows.map((row) => ({ ...row, ruleFor: finders.get(row.providerId) ?? noRule }));
}

function keyOf(row: Row): string {
  const { id, service, reason, offered } = row;
  const digest = sha256(JSON.stringify([reason, offered, service.version, ruleOf(row)])).slice(0, 16);
  return writeChangeKey({ serviceId: service.id, findingId: id, digest, shown: figuresOf(row) });
}

function figuresOf(row: Row): ShownFigures {
  const { offered, service } = row;
  const rule = ruleOf(row);
  return {
    cost: offered?.rate ?? null,
    rateByRule: offered && rule ? priceByRule(rule, offered.rate) : null,
    rate: service.rate,
    min: (offered ?? service).min,
    max: (offered ?? service).max,
  };
}

/** Returns the rule that prices what is offered. */
function ruleOf({ offered, ruleFor }: Pick<Row, "offered" | "ruleFor">): PriceRule | null {
  return (offered && ruleFor(offered.category)) ?? null;
}

function otherTerms(ours: Row["service"], offered: OfferedTerms): string {
  const type = ours.type === offered.type ? [] : [`${ours.type} → ${offered.type}`];
  const [before, after] = [ours, offered].map(limitsText);
  return [...type, ...(before === after ? [] : [`${before} → ${after}`])].join(", ");
}

/** Returns the number of changes that wait for a decision, of one provider. */
export async function countWaitingChanges(db: Db, providerId: number): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(quarantine)
    .where(and(eq(quarantine.providerId, providerId), isNull(quarantine.decidedAt)));
  return row?.count ?? 0;
}
