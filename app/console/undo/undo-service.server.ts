import { planWords } from "#app/console/audit/audit-fields.ts";
import { namesById } from "#app/console/audit/audit-names.server.ts";
import { loggedFields } from "#app/console/audit/logged-fields.server.ts";
import {
  changeService,
  readJudgedService,
  type ServiceTerms,
} from "#app/console/catalog/services/service-admin.server.ts";
import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { compareFields, neverUndone, type PreparedUndo, preparedUndo } from "#app/http/edits/undo-plan.ts";
import { guard, REFUSALS, refusalText } from "#app/orders/services/service-guard.ts";

/** Undoes a change of one service, field by field. */
export async function undoServiceChange(db: Db, entry: AuditEntry): Promise<PreparedUndo<Actor>> {
  const serviceId = Number(entry.subjectId);
  const service = await readJudgedService(db, serviceId);
  if (!service) return neverUndone(refusalText("not_found"));
  const providerIds = [service.providerId, ...[entry.detail.providerId].flat()].flatMap((id) => id ?? []).map(String);
  const providers = await namesById(db, "provider", providerIds);
  const names = Object.fromEntries([...providers].map(([id, name]) => [`provider ${id}`, name]));
  const words = planWords(loggedFields(entry.action), names);
  const { back, changes, left } = compareFields(entry.detail, service, words);
  const terms = back as Partial<ServiceTerms>;
  const refusal = () => guard(service, { ...service, ...terms }, { toLoss: true });
  if (refusal() === "waits") {
    delete terms.enabled;
    changes.splice(0, changes.length, ...changes.filter(({ label }) => label !== words.label("enabled")));
    left.push({ label: words.label("enabled"), why: REFUSALS.waits.why });
  }
  const refused = refusal();
  if (refused) return neverUndone(refusalText(refused));
  const asksForLoss = guard(service, { ...service, ...terms }, {}) === "below_cost";
  return preparedUndo({ changes, left, version: service.version, asksForLoss }, async (by: Actor, agreed) => {
    const changed = await changeService(db, by, serviceId, terms, service.version, agreed);
    return changed.ok ? { ok: true } : { ok: false, message: refusalText(changed.reason) };
  });
}
