import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { onlyPlanned, type PreparedUndo } from "#app/http/edits/undo-plan.ts";
import type { FulfillmentEnv } from "#app/orders/providers/provider-link.server.ts";
import { undoPriceRule, undoProviderChange } from "./undo-provider.server.ts";
import { undoDecision, undoReopening } from "./undo-quarantine.server.ts";
import { undoServiceChange } from "./undo-service.server.ts";

/** Returns how to undo what staff did to services, providers and balances, or null for another kind of entry. */
export async function prepareCatalogUndo(
  db: Db,
  env: FulfillmentEnv,
  entry: AuditEntry,
): Promise<PreparedUndo<Actor> | null> {
  switch (entry.action) {
    case "service.change":
      return undoServiceChange(db, entry);
    case "services.change":
      return onlyPlanned({
        kind: "elsewhere",
        to: `/admin/services/changes/${entry.id}`,
        link: "See what undoing it does",
        why: "Undo this on the change's page, which shows each service with its margin.",
      });
    case "provider.change":
      return undoProviderChange(db, env, entry);
    case "provider.teach":
    case "provider.apply_word":
      return onlyPlanned({
        kind: "elsewhere",
        to: `/admin/providers/${entry.subjectId}#taught`,
        link: "Open the taught words",
        why: "A taught word is undone on the provider's page. Orders that it ended stay ended, and refunded money stays refunded.",
      });
    case "price_rule.add":
    case "price_rule.change":
    case "price_rule.remove":
      return undoPriceRule(db, entry);
    case "quarantine.take":
    case "quarantine.keep":
    case "quarantine.off":
      return undoDecision(db, entry);
    case "quarantine.reopen":
      return undoReopening(db, entry);
    case "customer.credit":
    case "customer.debit":
      if (entry.subjectId.startsWith("deleted-")) return onlyPlanned({ kind: "never", why: "The account is deleted." });
      return onlyPlanned({
        kind: "elsewhere",
        to: `/admin/customers/${entry.subjectId}?undo=${entry.id}#adjust`,
        link: "Open the form with the opposite amount",
        why: "A balance is set right by the opposite amount, which the customer sees with its reason.",
      });
    default:
      return null;
  }
}
