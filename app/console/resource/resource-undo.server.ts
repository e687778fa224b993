import type { Actor, AuditEntry } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  compareFields,
  neverUndone,
  onlyPlanned,
  type PreparedUndo,
  preparedUndo,
  type Undone,
} from "#app/http/edits/undo-plan.ts";
import { ownValue } from "#app/own-value.ts";
import { labelInSentence, valueInSentence } from "#app/words/field-words.ts";
import { loggedWords, type Resource, type ResourceRow } from "./resource.ts";
import type { Store, Stored } from "./store.server.ts";

/**
 * Returns how to undo an entry about a record that is edited, created or deleted, or null for another kind of entry. What
 * undoing stores passes the form's rules.
 */
export async function prepareResourceUndo<Row extends ResourceRow, Input>(
  db: Db,
  entry: AuditEntry,
  store: Store<Row, Input>,
): Promise<PreparedUndo<Actor> | null> {
  const [label = "", verb] = entry.action.split(".");
  const { resource } = store;
  if (!store.read || resource.neverUndone !== undefined) return null;
  const input = (logged: Record<string, unknown>) => {
    const texts = Object.entries(resource.fields).map(([name, field]) => {
      const text = textOf(ownValue(logged, field.logged ?? name));
      return [name, field.kind === "moment" ? text.slice(0, "2026-11-27T08:00".length) : text];
    });
    const read = store.input.safeParse(Object.fromEntries(texts));
    return read.success ? read.data : null;
  };
  const saved = (stored: Stored): Undone =>
    stored.ok ? { ok: true } : { ok: false, message: undoRefusal(store, stored.reason) };
  if (verb === "delete") {
    const before = input(textsIn(entry.detail, 0));
    if (before === null) return neverUndone("The entry doesn't say what it was.");
    const changes = [{ label, now: "deleted", to: `${nameIn(resource, entry.detail)}, as a new one` }];
    return preparedUndo({ changes, left: [], version: 0 }, async (by: Actor) =>
      saved(await store.save(db, by, null, before, null)),
    );
  }
  if (verb !== "create" && verb !== "change") return null;
  const row = await store.read(db, Number(entry.subjectId));
  if (!row) return onlyPlanned({ kind: "nothing", left: [{ label, why: "it was deleted since" }] });
  const { id, version, name } = row;
  const current = loggedOf(resource, row.texts);
  if (verb === "create") {
    // The entry has no field that was empty.
    const created = textsIn(entry.detail, 1);
    const isSame = Object.entries(current).every(([field, text]) => (ownValue(created, field) ?? "") === text);
    const changes = isSame ? [{ label, now: name, to: "deleted" }] : [];
    const left = isSame ? [] : [{ label, why: "changed since. Delete it on its page" }];
    return preparedUndo({ changes, left, version }, async (by: Actor) =>
      saved((await store.actions.delete?.(db, by, { id, version })) ?? { ok: false, reason: "not_found" }),
    );
  }
  const words = loggedWords(resource);
  const { back, ...compared } = compareFields(entry.detail, current, {
    label: (field) => labelInSentence(words, field),
    text: (field, value) => (value ? valueInSentence(words, field, String(value)) : "none"),
  });
  const undone = input({ ...current, ...back });
  if (undone === null) return neverUndone("What it was before doesn't go together with what was changed since.");
  return preparedUndo({ ...compared, version }, async (by: Actor) =>
    saved(await store.save(db, by, { id, version }, undone, null)),
  );
}

/** Returns the texts of a form's fields by their names in the audit log, moments as it has them. */
export function loggedOf({ fields }: Pick<Resource, "fields">, texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { logged = name, kind }]) => {
      const text = ownValue(texts, name) ?? "";
      return [logged, kind === "moment" && text !== "" ? `${text}:00.000Z` : text];
    }),
  );
}

function nameIn(
  { nameField, nameOf = (name) => name }: Pick<Resource, "nameField" | "nameOf">,
  detail: AuditEntry["detail"],
) {
  return nameOf(ownValue(textsIn(detail, 0), nameField) ?? "");
}

/** Returns one side of each change in an entry. */
function textsIn(detail: Record<string, unknown>, side: 0 | 1): Record<string, string> {
  return Object.fromEntries(
    Object.entries(detail).flatMap(([name, pair]) => {
      const text: unknown = Array.isArray(pair) ? pair[side] : null;
      return typeof text === "string" ? [[name, text]] : [];
    }),
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function undoRefusal<Row extends ResourceRow, Input>({ refusals }: Store<Row, Input>, reason: string): string {
  if (reason === "stale") return "Someone else changed it meanwhile. Nothing was undone.";
  return ownValue(refusals, reason)?.message ?? "Nothing was undone.";
}
