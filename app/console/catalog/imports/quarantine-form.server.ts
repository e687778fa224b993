import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { ALL_PARAM } from "./pick-list.tsx";
import { pickedKeys } from "./picked-keys.server.ts";
import { DECISIONS, type Decided, type Decision, decideWaiting } from "./quarantine-decisions.server.ts";
import type { LeftChange } from "./shown-change.ts";

/** The left changes that a result lists. The others are counted. */
const LEFT_LISTED = 50;

/** A decision's result, with what was left alone because it changed since it was shown. */
export type QuarantineResult = FormResult & { left?: { listed: LeftChange[]; count: number } };

const REFUSALS: Record<Exclude<Extract<Decided, { ok: false }>["reason"], "changed_meanwhile">, string> = {
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
  const shown = (status: number, message: string, left: LeftChange[] = []): FormOutcome<QuarantineResult> => {
    const named = left.length === 0 ? {} : { left: { listed: left.slice(0, LEFT_LISTED), count: left.length } };
    return { kind: "shown", status, result: { intent: decision, ok: status < 400, message, ...named } };
  };
  const keys = new Set(pickedKeys(form));
  if (keys.size === 0) return shown(400, "Tick at least one service.");
  const decided = await decideWaiting(db, actor, decision, keys);
  if (!decided.ok && decided.reason === "changed_meanwhile") {
    return shown(409, "Nothing was decided: what you saw has changed since.", decided.left);
  }
  if (!decided.ok) return shown(409, REFUSALS[decided.reason]);
  const message = DONE[decision](servicesText(decided.decided));
  if (decided.left.length === 0) return { kind: "done", message, to: pathOf(withoutAll(url)) };
  return shown(
    200,
    `${message} ${servicesText(decided.left.length)} left alone: changed since you looked.`,
    decided.left,
  );
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
