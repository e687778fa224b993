import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { type Actor, changedSince } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { conflictForm, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { onceKey } from "#app/http/edits/recorded-form.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { type FormSchema, formText, onlyFields, parseForm, type RefusedForm } from "#app/http/requests/read-form.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { ownValue } from "#app/own-value.ts";
import { staffForm } from "../staff-action.server.ts";
import type { ResourceRow } from "./resource.ts";
import type { ResourceResult } from "./resource-page.tsx";
import type { Store, Stored } from "./store.server.ts";

/** Returns the action of a resource's page: saving a record (without an id, a new one), and the buttons of its rows. */
export function resourceAction<Row extends ResourceRow, Input>(store: Store<Row, Input>) {
  const { roles, withoutProof } = store.resource;
  return staffForm<ResourceResult>(
    { ...(roles && { roles }), ...(withoutProof && { withoutProof }) },
    async ({ context, request, actor, form }) => {
      const isSaved = formText(form, "intent") === "save";
      const outcome = isSaved
        ? await save(context.db, actor, store, form)
        : await runAction(context.db, actor, store, form, pathOf(request.url));
      // An announcement is part of what the isolate keeps.
      context.forgetSiteState();
      return outcome;
    },
  );
}

async function runAction<Row extends ResourceRow, Input>(
  db: Db,
  by: Actor,
  { actions, refusals }: Store<Row, Input>,
  form: FormData,
  to: string,
): Promise<FormOutcome<ResourceResult> | null> {
  const run = ownValue(actions, formText(form, "intent"));
  const id = parseId(form.get("id"));
  if (!run || id === null) return null;
  const done = await run(db, by, { id, version: readEdit(form).version });
  const message = done.ok ? (done.message ?? "Done.") : (ownValue(refusals, done.reason)?.message ?? done.reason);
  return { kind: "done", message, to };
}

async function save<Row extends ResourceRow, Input>(
  db: Db,
  by: Actor,
  store: Store<Row, Input>,
  form: FormData,
): Promise<FormOutcome<ResourceResult> | null> {
  const id = parseId(form.get("id"));
  const { version, at } = readEdit(form);
  const once = onceKey.safeParse(form.get("once"));
  if (id === null && store.resource.once && !once.success) return null;
  const parsed = parseForm(form, store.input as FormSchema<Input>);
  if (!parsed.ok) return { kind: "shown", status: 400, result: withKeys(parsed.result, form) };
  const edited = id === null ? null : { id, version };
  const stored = await store.save(db, by, edited, parsed.input, once.success ? once.data : null);
  if (stored.ok) return storedOutcome(stored);
  const current = edited && stored.reason === "stale" ? await store.read?.(db, edited.id) : undefined;
  if (edited && current) {
    const changed = await changedSince(db, store.resource.type, edited.id, at);
    const typed = Object.fromEntries(onlyFields(form, store.input as FormSchema<Input>)) as Record<string, string>;
    return { kind: "shown", status: 409, result: conflictForm(form, current, typed, changed) };
  }
  const refusal = ownValue(store.refusals, stored.reason === "stale" ? "not_found" : stored.reason);
  const { field, message } = refusal ?? { message: stored.reason };
  // The record is stored already, so the form starts over.
  if (stored.reason === "repeated")
    return { kind: "shown", status: 409, result: { intent: "save", ok: false, message } };
  const why = field === undefined ? { message } : { fieldErrors: { [field]: message } };
  return { kind: "shown", status: 409, result: withKeys(parsed.refuse(why), form) };
}

/** Returns a refused form that is sent again with the keys that it had, though the page has newer ones. */
function withKeys(refused: RefusedForm, form: FormData): RefusedForm {
  const { values, ...kept } = withEdit(refused, form);
  return { ...kept, values: { ...values, once: formText(form, "once") } };
}

/** Builds the outcome of a saved form. A created secret is shown once, so no cache may keep the response. */
function storedOutcome({ message, to, created }: Extract<Stored, { ok: true }>): FormOutcome<ResourceResult> {
  if (!created) return { kind: "done", message: message ?? "Saved.", ...(to !== undefined && { to }) };
  const result = { intent: "save", ok: true, created, ...(message !== undefined && { message }) };
  return { kind: "shown", status: 200, result, headers: { "Cache-Control": "no-store" } };
}
