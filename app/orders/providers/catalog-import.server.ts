import { and, desc, eq, getTableColumns } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { named } from "#app/db/column-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { catalogChanges, type QuarantineReason, services } from "#app/db/schema.server.ts";
import { isPerOrder } from "#app/orders/rules/order-input.ts";
import { changeServices } from "#app/orders/services/change-services.server.ts";
import { idsIn, type ServiceChange, valuesIn } from "#app/orders/services/service-change.ts";
import type { Refusal } from "#app/orders/services/service-guard.ts";
import { type CatalogChange, decideFindings, insertReport } from "./catalog-findings.server.ts";
import { followsRule, isPartialAnswer, judge, type KnownService } from "./catalog-judgment.ts";
import { type Offers, readOffers } from "./catalog-offers.server.ts";
import { changesOf, limitsText } from "./catalog-report.ts";
import { addOffered, switchSale, takeTerms } from "./offered-changes.ts";
import { ALL_CATEGORIES, type PriceRule, priceByRule, ruleFinder } from "./price-rule.ts";
import { type OfferedService, termsOf } from "./provider-catalog.server.ts";
import type { FulfillmentEnv, Provider } from "./provider-link.server.ts";
import type { UnreadableEntry } from "./unreadable-entry.ts";

const CHANGES_SHOWN = 500;
/** Unreadable entries that a preview shows. */
const UNREADABLE_SHOWN = 100;

/**
 * `added`: not ours yet. `changed`: a night would apply it. `look`: a night would quarantine it. `wider`: the limits there
 * allow more than ours. `gone`: on sale here, and missing there.
 */
export const PREVIEW_GROUPS = ["look", "changed", "added", "wider", "gone"] as const;
export type PreviewGroup = (typeof PREVIEW_GROUPS)[number];

/** The effect that an import would have on one service. Pairs are [before, after], rates in micro-units. */
export type PreviewRow = {
  providerServiceId: string;
  group: PreviewGroup;
  name: string;
  /** Why it needs a look. */
  reason: QuarantineReason | "free" | null;
  /** The rule's category, and null for a rate that staff set. */
  rule: string | null;
  cost: [number | null, number | null];
  rate: [number | null, number | null];
  /** Other terms that change: "50 to 10000 → 100 to 10000". */
  terms: string;
  isTicked: boolean;
};

export type Preview =
  | {
      ok: true;
      rows: PreviewRow[];
      /** The first of the entries that can't be read. */
      unreadable: UnreadableEntry[];
      unreadableCount: number;
      digest: string;
      offered: number;
      isPartial: boolean;
      /** False if services may be missing. Nothing counts as gone then. */
      isComplete: boolean;
      /** Services that the provider says it has, if it does. */
      total: number | null;
    }
  | { ok: false; reason: "no_catalog" | "other_currency" | "no_rule" };
export type ImportPreview = Extract<Preview, { ok: true }>;
export type Import =
  | { ok: true; added: number; changed: number; removed: number }
  | { ok: false; reason: "no_catalog" | "other_currency" | "no_rule" }
  /** The catalog, a rule or a service changed after the preview. */
  | { ok: false; reason: "catalog_changed" }
  | { ok: false; reason: Refusal };

/** A row with what an import of it writes. */
type PlannedRow = PreviewRow & { ours: KnownService | null; offer: OfferedService | null };

/** Returns what an import would change. `digest` identifies exactly these changes; an import with it makes no others. */
export async function previewImport(db: Db, env: FulfillmentEnv, provider: Provider): Promise<Preview> {
  const planned = await planImport(db, env, provider);
  if (!planned.ok) return planned;
  const { waiting: _, ...plan } = planned;
  const rows = planned.rows.map(({ ours: _, offer: __, ...row }) => row);
  return { ...plan, rows };
}

/**
 * Imports the ticked rows of a preview. New services start off sale. A rate that staff set stays unless it is below the
 * provider's; the others get what their rule gives. What isn't ticked stays as it is.
 */
export async function importCatalog(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  by: { actor: Actor; digest: string; ticked: ReadonlySet<string> },
): Promise<Import> {
  const planned = await planImport(db, env, provider);
  if (!planned.ok) return planned;
  if (by.digest !== planned.digest) return { ok: false, reason: "catalog_changed" };
  const rows = planned.rows.filter(({ providerServiceId }) => by.ticked.has(providerServiceId));
  const added = rows.flatMap(({ ours, offer, rate: [, ourRate] }) =>
    !ours && offer ? [addOffered(provider.id, { service: offer, ourRate: ourRate ?? 0 })] : [],
  );
  const updates = rows.flatMap((row) => updateOf(row, planned.paused));
  const removed = rows.flatMap(({ ours, offer }) => (ours && !offer ? [switchSale(ours, { enabled: false })] : []));
  const counts = { added: added.length, changed: updates.length, removed: removed.length };
  const changes = [...added, ...updates, ...removed];
  const detail = {
    ...counts,
    "not ticked": planned.rows.length - rows.length,
    services: idsIn(changes),
    rates: valuesIn(changes, "rate"),
  };
  const entry = { action: "provider.import", subject: "provider", subjectId: provider.id, detail } as const;
  const waitingOf = (of: ServiceChange[]) => idsIn(of).flatMap((id) => planned.waiting.get(id) ?? []);
  const saved = await changeServices(db, by.actor, [{ changes, entry }], {}, [
    ...decideFindings(db, waitingOf(updates), "take"),
    ...decideFindings(db, waitingOf(removed), "off"),
    ...insertReport(db, provider.id, rows.flatMap(reportOf)),
  ]);
  if (saved.ok) return { ok: true, ...counts };
  // Somebody else added one of the new services.
  const isOutdated = saved.reason === "stale" || saved.reason === "provider_service_taken";
  return { ok: false, reason: isOutdated ? "catalog_changed" : saved.reason };
}

async function planImport(db: Db, env: FulfillmentEnv, provider: Provider) {
  const offers = await readOffers(db, env, provider);
  if (!offers) return { ok: false, reason: "no_catalog" } as const;
  if (!offers.isInOurCurrency) return { ok: false, reason: "other_currency" } as const;
  const general = ruleFinder(offers.rules)(ALL_CATEGORIES);
  if (!general) return { ok: false, reason: "no_rule" } as const;
  const { rows, isPartial } = planRows(offers, provider.riseLimit, general);
  const paused = new Set([...offers.waiting.values()].filter((one) => one.paused).map(({ serviceId }) => serviceId));
  const versions = rows.map(({ ours }) => ours?.version ?? null);
  const shown = rows.map(({ ours: _, offer: __, ...row }) => row);
  const digest = sha256(JSON.stringify([shown, versions, offers.rules]));
  const { offered, waiting, isComplete, total } = offers;
  return {
    ok: true,
    rows,
    unreadable: offers.unreadable.slice(0, UNREADABLE_SHOWN),
    unreadableCount: offers.unreadable.length,
    digest,
    offered: offered.length,
    isPartial,
    isComplete,
    total,
    paused,
    waiting,
  } as const;
}

function planRows(offers: Offers, limit: number, general: PriceRule) {
  const { offered, unreadable, known, rules, waiting, isComplete } = offers;
  const byId = new Map(known.map((service) => [service.providerServiceId, service]));
  const seen = new Set([
    ...offered.map(({ providerServiceId }) => providerServiceId),
    ...unreadable.map(({ id }) => id),
  ]);
  const isOnSale = (ours: KnownService) => ours.enabled || waiting.get(ours.id)?.paused === true;
  const ruleFor = ruleFinder(rules);
  const present = offered.flatMap((offer) => {
    const rule = ruleFor(offer.category) ?? general;
    const ours = byId.get(offer.providerServiceId);
    const row = ours ? knownRow(ours, offer, { rule, limit, isOnSale: isOnSale(ours) }) : newRow(offer, rule);
    return row ? [row] : [];
  });
  const onSale = known.filter(isOnSale);
  const isGone = (ours: KnownService) => isComplete && !seen.has(ours.providerServiceId) && !ours.keptWhileGone;
  const gone = onSale.filter(isGone);
  const isPartial = isPartialAnswer(gone.length, onSale.length);
  return { rows: [...present, ...gone.map((ours) => goneRow(ours, !isPartial))], isPartial };
}

function newRow(offer: OfferedService, rule: PriceRule): PlannedRow {
  const isFree = offer.rate === 0;
  return {
    providerServiceId: offer.providerServiceId,
    group: "added",
    name: offer.name,
    reason: isFree ? "free" : null,
    rule: rule.category,
    cost: [null, offer.rate],
    rate: [null, priceByRule(rule, offer.rate)],
    terms: `${offer.category} · ${offer.type} · ${limitsText(offer)}`,
    isTicked: !isFree,
    ours: null,
    offer,
  };
}

function knownRow(
  ours: KnownService,
  offer: OfferedService,
  { rule, limit, isOnSale }: { rule: PriceRule; limit: number; isOnSale: boolean },
): PlannedRow | null {
  const judgment = judge(ours, termsOf(offer), { rule, limit, isOnSale });
  const follows = followsRule(ours);
  const byRule = priceByRule(rule, offer.rate);
  // A rate that staff set gives way only to a cost above it, or in another unit.
  const isOutdated = ours.rate < offer.rate || isPerOrder(ours.type) !== isPerOrder(offer.type);
  const ourRate = follows || isOutdated ? byRule : ours.rate;
  const isWider = isOnSale && (offer.min < ours.min || offer.max > ours.max);
  const group =
    judgment.kind === "waits"
      ? "look"
      : judgment.kind === "harmless" || ourRate !== ours.rate
        ? "changed"
        : isWider
          ? "wider"
          : null;
  if (!group) return null;
  // Without a tick for its own sake, a range that staff made narrower stays.
  const taken = group === "changed" && isOnSale ? { ...offer, min: ours.min, max: ours.max } : offer;
  const isPriced = ours.providerRate !== offer.rate || ourRate !== ours.rate;
  return {
    providerServiceId: ours.providerServiceId,
    group,
    name: ours.name,
    reason: judgment.kind === "waits" ? judgment.reason : null,
    rule: ourRate === byRule && (follows || ourRate !== ours.rate) ? rule.category : null,
    cost: [ours.providerRate, offer.rate],
    rate: [ours.rate, isPriced ? ourRate : ours.rate],
    terms: changesOf(ours, termsOf(taken))
      .filter(({ kind }) => kind !== "price")
      .map(({ before, after }) => `${before} → ${after}`)
      .join(", "),
    isTicked: group === "changed",
    ours,
    offer: taken,
  };
}

function goneRow(ours: KnownService, isTicked: boolean): PlannedRow {
  return {
    providerServiceId: ours.providerServiceId,
    group: "gone",
    name: ours.name,
    reason: "gone",
    rule: null,
    cost: [ours.providerRate, null],
    rate: [ours.rate, null],
    terms: "",
    isTicked,
    ours,
    offer: null,
  };
}

function updateOf({ ours, offer, rate: [, after], rule }: PlannedRow, paused: Set<number>): ServiceChange[] {
  if (!ours || !offer) return [];
  const ourRate = after ?? ours.rate;
  const ruleRate = rule === null ? ours.ruleRate : ourRate;
  const enabled = paused.has(ours.id) || ours.enabled;
  return [takeTerms(ours, { terms: termsOf(offer), ourRate, ruleRate, isDecided: true, enabled })];
}

function reportOf({ ours, offer, providerServiceId, name }: PlannedRow): CatalogChange[] {
  if (!ours) return [{ providerServiceId, kind: "added", before: "", after: name }];
  if (!offer) return [{ providerServiceId, kind: "vanished", before: "", after: "" }];
  return changesOf(ours, termsOf(offer));
}

/** Returns the number of changes of each kind. */
export function countByKind(changes: Pick<CatalogChange, "kind">[]): Partial<Record<CatalogChange["kind"], number>> {
  const counts: Partial<Record<CatalogChange["kind"], number>> = {};
  for (const { kind } of changes) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Lists the newest changes of a provider's catalog, each with our service as it is now. */
export async function listCatalogChanges(db: Db, providerId: number) {
  const isSameEntry = and(
    eq(services.providerId, catalogChanges.providerId),
    eq(services.providerServiceId, catalogChanges.providerServiceId),
  );
  return db
    .select({
      ...getTableColumns(catalogChanges),
      service: { id: named(services.id, "service_id"), name: services.name, enabled: services.enabled },
    })
    .from(catalogChanges)
    .leftJoin(services, isSameEntry)
    .where(eq(catalogChanges.providerId, providerId))
    .orderBy(desc(catalogChanges.id))
    .limit(CHANGES_SHOWN);
}
