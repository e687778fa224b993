import { sha256 } from "#app/crypto/sha256.server.ts";
import { outsideJson } from "#app/http/outside-json.ts";
import { FORM_MAX_FIELDS, formText, type RefusedForm } from "#app/http/requests/read-form.ts";
import { ownValue } from "#app/own-value.ts";

/**
 * Keeps two people from overwriting each other without a word. A form of something that exists sends the version it began
 * from. If someone saved meanwhile, nothing is written, and the form shows what is saved beside what was typed.
 */

/** Texts of a form's fields by name, as its inputs show them. An unticked checkbox is missing; a ticked one is `on`. */
export type FieldTexts = Record<string, string>;

/** The hidden fields of a form, which say what it began from. `began` has a digest of each field: texts can be long. */
export type EditFields = { version: string; began: string };

export type BegunEdit = {
  version: number;
  /** When the form was read, in ms. */
  at: number;
  /** By field. Empty if the form doesn't say. */
  digests: Record<string, string>;
};

/** A field that has another value than when the form was read. */
type ChangedField = {
  name: string;
  saved: string;
  typed: string;
  /** Whether the person changed it too. Then the form keeps what they typed, and else it shows what is saved. */
  isMine: boolean;
};

/** A conflict with what someone else saved. `changedBy` is empty, and `changedAt` null, if it was an import. */
export type EditConflict = { fields: ChangedField[]; changedBy: string[]; changedAt: number | null };

/** No row has it: a form that says no version has to show what is saved before it can save. */
const NO_VERSION = 0;
const DIGEST_CHARS = 16;

/** Returns the hidden fields of a form that begins from a row's version and texts. */
export function beginEdit(version: number, texts: FieldTexts, at = Date.now()): EditFields {
  const digests = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, digestOf(text)]));
  return { version: String(version), began: JSON.stringify({ at, digests }) };
}

export function readEdit(form: FormData): BegunEdit {
  const version = Number(formText(form, "version"));
  const { at, digests } = parseBegan(formText(form, "began"));
  return { version: Number.isSafeInteger(version) && version > 0 ? version : NO_VERSION, at, digests };
}

/** Returns whether these are still the texts that the form began with: for what has no version, as an order. */
export function isCurrent({ digests }: BegunEdit, saved: FieldTexts): boolean {
  return Object.entries(saved).every(([name, text]) => ownValue(digests, name) === digestOf(text));
}

/**
 * Returns the form to show after someone else saved: what the person changed as they typed it, everything else as it is
 * saved, and the version that is saved. Sent again, it saves on top.
 */
export function conflictForm(
  form: FormData,
  saved: { version: number; texts: FieldTexts },
  typed: FieldTexts,
  changed: Pick<EditConflict, "changedBy" | "changedAt">,
): RefusedForm & { conflict: EditConflict } {
  const { fields, texts } = merge(readEdit(form).digests, saved.texts, typed);
  return {
    intent: formText(form, "intent"),
    ok: false,
    message: "Someone else saved this while you had it open. Nothing of yours is saved yet.",
    values: { ...texts, ...beginEdit(saved.version, saved.texts) },
    conflict: { fields, ...changed },
  };
}

/** Returns a refused form that still says what it began from. */
export function withEdit(refused: RefusedForm, form: FormData): RefusedForm {
  const kept = { version: formText(form, "version"), began: formText(form, "began") };
  return { ...refused, values: { ...refused.values, ...kept } };
}

function merge(began: Record<string, string>, saved: FieldTexts, typed: FieldTexts) {
  const fields: ChangedField[] = [];
  const texts: FieldTexts = {};
  for (const name of new Set([...Object.keys(saved), ...Object.keys(typed)])) {
    const [theirs, mine] = [ownValue(saved, name), ownValue(typed, name)];
    // A form that doesn't say what it began with may have changed anything, and so may the others.
    const hasBegan = Object.keys(began).length > 0;
    const start = ownValue(began, name);
    const isMine = hasBegan ? start !== digest(mine) : theirs !== mine;
    const isTheirs = hasBegan ? start !== digest(theirs) : theirs !== mine;
    const text = isMine ? mine : theirs;
    if (text !== undefined) texts[name] = text;
    if (isTheirs && theirs !== mine) fields.push({ name, saved: theirs ?? "", typed: mine ?? "", isMine });
  }
  return { fields, texts };
}

function digest(text: string | undefined): string | undefined {
  return text === undefined ? undefined : digestOf(text);
}

function digestOf(text: string): string {
  return sha256(text).slice(0, DIGEST_CHARS);
}

function parseBegan(text: string): { at: number; digests: Record<string, string> } {
  const { at, digests } = (outsideJson(text, FORM_MAX_FIELDS) ?? {}) as { at?: unknown; digests?: unknown };
  const read = Object.entries(digests ?? {}).filter(([, digest]) => typeof digest === "string");
  return { at: typeof at === "number" ? at : 0, digests: Object.fromEntries(read) };
}
