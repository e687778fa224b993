import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { ALL_PARAM } from "./pick-list.tsx";
import { pickedKeys } from "./picked-keys.server.ts";
import { DECISIONS, type Decided, type Decision, decideWaiting } from "./quarantine-decisions.server.ts";
import { keysOfAll, readQuarantineQuery } from "./quarantine-page.server.ts";

const REFUSALS: Record<Extract<Decided, { ok: false }>["reason"], string> = {
  changed_meanwhile:
    "Some of these changed since you looked: another offer, rate or rule, or a colleague's decision. Nothing was decided; the list is up to date now.",
  nothing_offered: "A service that is gone has no new price. Untick it, keep it on sale or keep it off sale.",
  no_rule: "A provider of these has no price rule. Add one on its page, or keep your rates.",
};

const DONE: Record<Decision, (count: string) => string> = {
  take: (count) => `New prices taken for ${count}.`,
  keep: (count) => `Your rates kept for ${count}.`,
  off: (count) => `${count} kept off sale.`,
};

/** Handles the form of the quarantine page. `url` is the page with its filter. */
export async function submitQuarantineForm(db: Db, actor: Actor, form: FormData, url: string): Promise<FormOutcome> {
  const decision = DECISIONS.find((known) => known === form.get("intent"));
  if (!decision) throw new Response(null, { status: 400 });
  const refused = (status: number, message: string): FormOutcome => ({
    kind: "shown",
    status,
    result: { intent: decision, ok: false, message },
  });
  const keys = await decidedKeys(db, form, url);
  if (keys === null) return refused(409, REFUSALS.changed_meanwhile);
  if (keys.size === 0) return refused(400, "Tick at least one service.");
  const decided = await decideWaiting(db, actor, decision, keys);
  if (!decided.ok) return refused(409, REFUSALS[decided.reason]);
  const count = decided.decided === 1 ? "1 service" : `${decided.decided} services`;
  return { kind: "done", message: DONE[decision](count), to: pathOf(withoutAll(url)) };
}

/** Returns the page without what asks for all that match: others may match by then. */
function withoutAll(url: string): string {
  const page = new URL(url);
  page.searchParams.delete(ALL_PARAM);
  return page.href;
}

/** Returns the keys of the ticked changes, or of all that match the page's filter. Null: those are others now. */
async function decidedKeys(db: Db, form: FormData, url: string): Promise<Set<string> | null> {
  const digest = formText(form, "all");
  if (digest === "") return new Set(pickedKeys(form));
  return keysOfAll(db, readQuarantineQuery(new URL(url).searchParams), digest);
}
