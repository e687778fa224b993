import { eq } from "drizzle-orm";
import { planWords } from "#app/console/audit/audit-fields.ts";
import {
  changeService,
  type ServiceRefusal,
  type ServiceTerms,
} from "#app/console/catalog/services/service-admin.server.ts";
import { HIGHEST_COST, IS_BLOCKED, WAITING_OFFER } from "#app/console/catalog/services/waiting-offer.server.ts";
import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import { namesById } from "#app/db/audit-names.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { quarantine, services } from "#app/db/schema.server.ts";
import { compareFields, neverUndone, type PreparedUndo, preparedUndo } from "#app/http/edits/undo-plan.ts";
import { sellsBelowCost } from "#app/orders/rules/margin.ts";

const REFUSALS: Record<ServiceRefusal, string> = {
  not_found: "This service is gone.",
  provider_service_taken: "Another service uses this provider service by now.",
  unknown_provider: "The provider is gone.",
  repeated: "Someone else undid this meanwhile.",
  stale: "Someone else changed this service meanwhile. Nothing was undone.",
  blocked: "Its provider changed this service, and that waits for a decision in quarantine. Decide it first.",
  below_cost: "Agree to sell it below cost, or leave it as it is.",
};

/** Undoes a change of one service, field by field. */
export async function undoServiceChange(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const serviceId = Number(entry.subjectId);
  const [read] = await db
    .select({ service: services, isBlocked: IS_BLOCKED, cost: HIGHEST_COST })
    .from(services)
    .leftJoin(quarantine, WAITING_OFFER)
    .where(eq(services.id, serviceId))
    .limit(1);
  if (!read) return neverUndone("The service is gone.");
  const { service, isBlocked, cost } = read;
  const providerIds = [service.providerId, ...[entry.detail.providerId].flat()].flatMap((id) => id ?? []).map(String);
  const providers = await namesById(db, "provider", providerIds);
  const names = Object.fromEntries([...providers].map(([id, name]) => [`provider ${id}`, name]));
  const words = planWords(entry.action, names);
  const { back, changes, left } = compareFields(entry.detail, service, words);
  if (isBlocked && back.enabled === true) {
    delete back.enabled;
    changes.splice(0, changes.length, ...changes.filter(({ label }) => label !== words.label("enabled")));
    left.push({ label: words.label("enabled"), why: "its provider's change waits for a decision in quarantine" });
  }
  const terms = back as Partial<ServiceTerms>;
  const after = { enabled: terms.enabled ?? service.enabled, rate: terms.rate ?? service.rate, providerRate: cost };
  const isPriced = "rate" in back || "enabled" in back;
  const plan = { changes, left, version: service.version, asksForLoss: isPriced && sellsBelowCost(after) };
  return preparedUndo(plan, async (by: Actor, agreed) => {
    const changed = await changeService(db, by, serviceId, terms, service.version, agreed);
    return changed.ok ? { ok: true } : { ok: false, message: REFUSALS[changed.reason] };
  });
}
