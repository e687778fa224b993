import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { type Actor, changedSince } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { conflictForm, readEdit, withEdit } from "#app/http/edits/edit-input.server.ts";
import { onceKey } from "#app/http/edits/recorded-form.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { type FormSchema, formText, onlyFields, parseForm } from "#app/http/requests/read-form.ts";
import { pathOf } from "#app/http/requests/safe-path.ts";
import { ownValue } from "#app/own-value.ts";
import { staffForm } from "../staff-action.server.ts";
import type { Resource, ResourceRow } from "./resource.ts";
import type { ResourceResult } from "./resource-page.tsx";
import type { Store } from "./store.server.ts";

/** Returns the action of a resource's page: saving a record (without an id, a new one), and the buttons of its rows. */
export function resourceAction<Row extends ResourceRow, Input>(resource: Resource<Row>, store: Store<Row, Input>) {
  const { roles, withoutProof } = resource;
  return staffForm<ResourceResult>(
    { ...(roles && { roles }), ...(withoutProof && { withoutProof }) },
    async (submission) => {
      const { context, request, actor, form } = submission;
      const intent = formText(form, "intent");
      if (intent === "save") return save(context.db, actor, resource, store, form);
      const run = ownValue(store.actions, intent);
      const id = parseId(form.get("id"));
      if (!run || id === null) return null;
      const done = await run(context.db, actor, { id, version: readEdit(form).version });
      const message = done.ok
        ? (done.message ?? "Done.")
        : (ownValue(store.refusals, done.reason)?.message ?? done.reason);
      return { kind: "done", message, to: pathOf(request.url) };
    },
  );
}

async function save<Row extends ResourceRow, Input>(
  db: Db,
  by: Actor,
  resource: Resource<Row>,
  store: Store<Row, Input>,
  form: FormData,
): Promise<FormOutcome<ResourceResult> | null> {
  const id = parseId(form.get("id"));
  const { version, at } = readEdit(form);
  const once = onceKey.safeParse(form.get("once"));
  if (resource.once && !once.success) return null;
  const parsed = parseForm(form, store.input as FormSchema<Input>);
  if (!parsed.ok) return { kind: "shown", status: 400, result: withEdit(parsed.result, form) };
  const edited = id === null ? null : { id, version };
  const stored = await store.save(db, by, edited, parsed.input, once.success ? once.data : null);
  if (stored.ok) return storedOutcome(stored);
  const current = edited && stored.reason === "stale" ? await store.read?.(db, edited.id) : undefined;
  if (edited && current) {
    const changed = await changedSince(db, resource.type, edited.id, at);
    const typed = Object.fromEntries(onlyFields(form, store.input as FormSchema<Input>)) as Record<string, string>;
    return { kind: "shown", status: 409, result: conflictForm(form, current, typed, changed) };
  }
  const refusal = ownValue(store.refusals, stored.reason === "stale" ? "not_found" : stored.reason);
  const { field, message } = refusal ?? { message: stored.reason };
  const why = field === undefined ? { message } : { fieldErrors: { [field]: message } };
  return { kind: "shown", status: 409, result: withEdit(parsed.refuse(why), form) };
}

/** Builds the outcome of a saved form. A created secret is shown once, so no cache may keep the response. */
function storedOutcome({
  message,
  created,
}: {
  message?: string;
  created?: Record<string, string>;
}): FormOutcome<ResourceResult> {
  if (!created) return { kind: "done", message: message ?? "Saved." };
  const result = { intent: "save", ok: true, created, ...(message !== undefined && { message }) };
  return { kind: "shown", status: 200, result, headers: { "Cache-Control": "no-store" } };
}
