import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { type OfferedTerms, providers } from "#app/db/schema.server.ts";
import { log, logError } from "#app/http/log.ts";
import { changeServices } from "#app/orders/services/change-services.server.ts";
import { idsIn, type ServiceChange } from "#app/orders/services/service-change.ts";
import {
  type CatalogChange,
  closeFindings,
  type Finding,
  insertFindings,
  insertReport,
} from "./catalog-findings.server.ts";
import { isPartialAnswer, type Judgment, judge, judgeMissing, type KnownService } from "./catalog-judgment.ts";
import { IS_READ_AT_NIGHT, type Offers, readOffers, type WaitingChange } from "./catalog-offers.server.ts";
import { changesOf, unreadableChange } from "./catalog-report.ts";
import { switchSale, takeTerms } from "./offered-changes.ts";
import { ALL_CATEGORIES, ruleFinder } from "./price-rule.ts";
import { termsOf } from "./provider-catalog.server.ts";
import type { FulfillmentEnv, Provider } from "./provider-link.server.ts";

const ATTEMPTS = 3;

/** The result of a nightly sync. `missing` is only counted for a partial answer and an incomplete catalog. */
export type Sync =
  | { ok: true; changed: number; quarantined: number; paused: number; released: number; missing: number }
  | { ok: false; reason: "no_catalog" | "other_currency" | "no_rule" };

type Plan = {
  updates: ServiceChange[];
  findings: Finding[];
  /** Services whose change the provider took back. */
  released: number[];
  report: CatalogChange[];
  /** Services that a partial answer or an incomplete catalog lacks. They stay on sale. */
  missing: number;
};

/** Compares the catalogs of all providers that have a price rule. Runs every night. */
export async function syncCatalogs(db: Db, env: FulfillmentEnv): Promise<void> {
  const ruled = await db.select().from(providers).where(IS_READ_AT_NIGHT);
  for (const provider of ruled) {
    try {
      const { ok, ...found } = await syncCatalog(db, env, provider);
      const isCalm = ok && !("missing" in found && found.missing > 0);
      log(isCalm ? "info" : "warn", "catalog compared", { provider: provider.id, ...found });
    } catch (error) {
      logError("catalog comparison failed", error, { provider: provider.id });
    }
  }
}

/**
 * Applies what is harmless in a provider's catalog and quarantines the rest. What would sell below cost meanwhile is
 * paused. Adds no services: new ones wait in the preview. `by` is the admin who asked for it during the day.
 */
export async function syncCatalog(db: Db, env: FulfillmentEnv, provider: Provider, by?: Actor): Promise<Sync> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const synced = await syncOnce(db, env, provider, by);
    // A service that was to be paused was changed by a person meanwhile: judged again, as it is now.
    if (synced !== "stale") return synced;
  }
  throw new Error("services that were to be paused kept changing");
}

async function syncOnce(db: Db, env: FulfillmentEnv, provider: Provider, by?: Actor): Promise<Sync | "stale"> {
  const offers = await readOffers(db, env, provider);
  if (!offers || offers.offered.length === 0) return { ok: false, reason: "no_catalog" };
  if (!offers.isInOurCurrency) return { ok: false, reason: "other_currency" };
  if (!ruleFinder(offers.rules)(ALL_CATEGORIES)) return { ok: false, reason: "no_rule" };
  const { updates, findings, released, report, missing } = planSync(offers, provider.riseLimit);
  const counts = {
    changed: updates.length,
    quarantined: findings.length,
    paused: findings.filter(({ paused }) => paused).length,
    released: released.length,
    missing,
  };
  const pauses = findings.flatMap(({ ours, paused }) => (paused ? [switchSale(ours, { enabled: false })] : []));
  const changes = [...updates, ...pauses];
  const detail = { ...counts, services: idsIn(changes) };
  const entry = { action: "provider.sync", subject: "provider", subjectId: provider.id, detail } as const;
  const saved = await changeServices(db, by ?? null, [{ changes, entry }], { within: provider.riseLimit }, [
    ...closeFindings(db, released, "gone_by"),
    ...insertFindings(db, provider.id, findings),
    ...insertReport(db, provider.id, report),
  ]);
  if (saved.ok) return { ok: true, ...counts };
  if (saved.reason === "stale") return "stale";
  throw new Error(`the night's changes were refused: ${saved.reason}`);
}

/** Decides what a night does with a catalog. `limit` is the provider's, in basis points. */
export function planSync(offers: Offers, limit: number): Plan {
  const { offered, unreadable, known, rules, waiting, isComplete } = offers;
  const plan: Plan = {
    updates: [],
    findings: [],
    released: [],
    report: unreadable.map(unreadableChange),
    missing: 0,
  };
  const byId = new Map(offered.map((service) => [service.providerServiceId, service]));
  const unread = new Set(unreadable.map(({ id }) => id));
  const isOnSale = (ours: KnownService) => ours.enabled || waiting.get(ours.id)?.paused === true;
  const gone: KnownService[] = [];
  const ruleFor = ruleFinder(rules);
  for (const ours of known) {
    const offer = byId.get(ours.providerServiceId);
    if (!offer) {
      if (isOnSale(ours) && !unread.has(ours.providerServiceId)) gone.push(ours);
      continue;
    }
    const terms = termsOf(offer);
    const rule = ruleFor(offer.category);
    const judgment = judge(ours, terms, { rule, limit, isOnSale: isOnSale(ours) });
    addJudgment(plan, { ours, terms, judgment, open: waiting.get(ours.id) });
  }
  const missing = gone.filter((ours) => !ours.keptWhileGone && !isPausedAsGone(waiting.get(ours.id)));
  // Counted as this night leaves it, so that the same answer is judged the same tomorrow.
  const sold =
    known.filter(({ enabled }) => enabled).length +
    plan.updates.filter(({ before, set }) => set.enabled && !before?.enabled).length -
    plan.findings.filter(({ paused }) => paused).length;
  const isPartial = isPartialAnswer(missing.filter(({ enabled }) => enabled).length, sold);
  if (isPartial || !isComplete) plan.missing = missing.length;
  if (!isComplete) return plan;
  for (const ours of missing) {
    const paused = ours.enabled && !isPartial;
    const reason = judgeMissing(ours, limit);
    if (reason) addFinding(plan, { ours, open: waiting.get(ours.id), finding: { reason, offered: null, paused } });
  }
  return plan;
}

function isPausedAsGone(open: WaitingChange | undefined): boolean {
  return open?.reason === "gone" && open.paused;
}

function addJudgment(
  plan: Plan,
  {
    ours,
    terms,
    judgment,
    open,
  }: { ours: KnownService; terms: OfferedTerms; judgment: Judgment; open: WaitingChange | undefined },
): void {
  if (judgment.kind === "waits") {
    const { reason, belowCost } = judgment;
    addFinding(plan, { ours, open, finding: { reason, offered: terms, paused: belowCost && ours.enabled } });
    return;
  }
  const isPaused = open?.paused === true && !ours.enabled;
  if (open) {
    plan.released.push(ours.id);
    plan.report.push({ providerServiceId: ours.providerServiceId, kind: "released", before: open.reason, after: "" });
  }
  if (judgment.kind === "same" && !isPaused && !ours.keptWhileGone) return;
  const { ourRate, isByRule, ...rest } =
    judgment.kind === "harmless"
      ? judgment.terms
      : { ...terms, min: ours.min, max: ours.max, ourRate: ours.rate, isByRule: false };
  const ruleRate = isByRule ? ourRate : ours.ruleRate;
  const enabled = isPaused || ours.enabled;
  const change = takeTerms(ours, { terms: rest, ourRate, ruleRate, isDecided: false, enabled });
  plan.updates.push({ ...change, skipsStale: true });
  plan.report.push(...changesOf(ours, rest));
}

function addFinding(
  plan: Plan,
  { ours, open, finding }: { ours: KnownService; open: WaitingChange | undefined; finding: Omit<Finding, "ours"> },
): void {
  const isKnown = open?.reason === finding.reason && JSON.stringify(open.offered) === JSON.stringify(finding.offered);
  // One that was paused and is on sale was put there by staff, who knew of this offer.
  if (isKnown && (open.paused || !finding.paused)) return;
  plan.findings.push({ ours, ...finding });
  const { providerServiceId } = ours;
  plan.report.push({
    providerServiceId,
    kind: "quarantined",
    before: finding.reason,
    after: finding.paused ? "paused" : "",
  });
}
