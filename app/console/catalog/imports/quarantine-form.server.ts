import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { LOSS_FIELD } from "#app/console/loss-field.tsx";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { type Refusal, refusalText } from "#app/orders/services/service-guard.ts";
import { ALL_PARAM } from "./pick-list.tsx";
import { pickedKeys } from "./picked-keys.server.ts";
import { DECISIONS, type Decided, type Decision, decideWaiting } from "./quarantine-decisions.server.ts";
import type { LeftChange } from "./shown-change.ts";

/** The left changes that a result lists. The others are counted. */
const LEFT_LISTED = 50;

/** A decision's result, with what was left alone because it changed since it was shown. */
export type QuarantineResult = FormResult & { asksForLoss?: boolean; left?: { listed: LeftChange[]; count: number } };

/** Reasons why a decision does not apply to the selected services. */
const UNDECIDED: Record<Exclude<Extract<Decided, { ok: false }>["reason"], "changed_meanwhile" | Refusal>, string> = {
  nothing_offered: "A service that is gone has no new price. Untick it, keep it on sale or keep it off sale.",
  no_rule: "A provider of these has no price rule. Add one on its page, or keep your rates.",
  busy: "These changes are being updated right now. Nothing was decided; try again.",
};

const DONE: Record<Decision, (count: string) => string> = {
  take: (count) => `New prices taken for ${count}.`,
  keep: (count) => `Your rates kept for ${count}.`,
  off: (count) => `${count} kept off sale.`,
};

/** Handles the form of the quarantine page. `url` is the page with its filter. */
export async function submitQuarantineForm(
  db: Db,
  actor: Actor,
  form: FormData,
  url: string,
): Promise<FormOutcome<QuarantineResult>> {
  const decision = DECISIONS.find((known) => known === form.get("intent"));
  if (!decision) throw new Response(null, { status: 400 });
  const shown = (
    status: number,
    message: string,
    { left = [], asksForLoss = false }: { left?: LeftChange[]; asksForLoss?: boolean } = {},
  ): FormOutcome<QuarantineResult> => {
    const named = left.length === 0 ? {} : { left: { listed: left.slice(0, LEFT_LISTED), count: left.length } };
    return { kind: "shown", status, result: { intent: decision, ok: status < 400, message, asksForLoss, ...named } };
  };
  const keys = new Set(pickedKeys(form));
  if (keys.size === 0) return shown(400, "Tick at least one service.");
  const decided = await decideWaiting(db, actor, decision, keys, { toLoss: form.has(LOSS_FIELD) });
  if (!decided.ok && decided.reason === "changed_meanwhile") {
    return shown(409, refusalText("stale"), { left: decided.left });
  }
  if (!decided.ok) return shown(409, textOf(decided.reason), { asksForLoss: decided.reason === "below_cost" });
  const message = DONE[decision](servicesText(decided.decided));
  if (decided.left.length === 0) return { kind: "done", message, to: pathOf(withoutAll(url)) };
  return shown(200, `${message} ${servicesText(decided.left.length)} left alone: changed since you looked.`, {
    left: decided.left,
  });
}

function textOf(reason: keyof typeof UNDECIDED | Refusal): string {
  switch (reason) {
    case "nothing_offered":
    case "no_rule":
    case "busy":
      return UNDECIDED[reason];
    default:
      return refusalText(reason);
  }
}

function servicesText(count: number): string {
  return count === 1 ? "1 service" : `${count} services`;
}

/** Returns the page without what asks for all that match: others may match by then. */
function withoutAll(url: string): string {
  const page = new URL(url);
  page.searchParams.delete(ALL_PARAM);
  return page.href;
}
