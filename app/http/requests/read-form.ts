import type { z } from "zod";
import { requireMethod } from "./allowed-methods.ts";
import { countedForm } from "./counted-form.ts";
import { readAtMost } from "./read-at-most.ts";

export const FORM_MAX_BYTES = 64 * 1024;
/** No form of ours has more fields, but for lists with a box in each row. */
export const FORM_MAX_FIELDS = 500;

type Fields = { shape: Record<string, unknown> };
/** The schema of a form. It is flat, and its keys are the names of the fields. */
export type FormSchema<Output = unknown, Input = unknown> = z.ZodType<Output, Input> &
  (Fields | { options: readonly Fields[] });

type FormEncoding = "multipart/form-data" | "application/x-www-form-urlencoded";
/**
 * A form that may be larger than others, if it is sent in its own encoding. `tooLarge` is the text of the refusal. Has
 * FORM_MAX_FIELDS fields unless it says `maxFields`.
 */
export type LargeForm = { encoding: FormEncoding; maxBytes: number; maxFields?: number; tooLarge: string };

const TOO_MANY_FIELDS = "This form has too many fields.";
const NOT_ITS_CHARSET = "This form has text that is not UTF-8. Send it as UTF-8, or name its charset.";
const TOO_LARGE = "This form is larger than 64 KB. Shorten what you typed and send it again.";

/**
 * Reads a posted form. Throws 405 for any method but POST, 400 for a body that is not a form or not in its charset, and 413 for a form that is
 * larger than 64 KB or than `large` allows, without reading the rest, and for one of too many fields, without making them.
 */
export async function readForm(request: Request, large?: LargeForm): Promise<FormData> {
  // The page with the form is read by GET.
  requireMethod(request, ["GET", "POST"]);
  const contentType = request.headers.get("Content-Type") ?? "";
  const isLarge = large !== undefined && contentType.split(";", 1)[0]?.trim().toLowerCase() === large.encoding;
  const { maxBytes, maxFields, tooLarge }: Omit<LargeForm, "encoding"> = isLarge
    ? large
    : { maxBytes: FORM_MAX_BYTES, tooLarge: TOO_LARGE };
  const unreadable = () => {
    throw new Response("This form could not be read.", { status: 400 });
  };
  const bytes = await readAtMost(request, maxBytes).catch(unreadable);
  if (!bytes) throw new Response(tooLarge, { status: 413 });
  const read = await countedForm(bytes, contentType, maxFields ?? FORM_MAX_FIELDS).catch(unreadable);
  if (read.ok) return read.form;
  if (read.reason === "too_many_fields") throw new Response(TOO_MANY_FIELDS, { status: 413 });
  throw new Response(NOT_ITS_CHARSET, { status: 400 });
}

/** Returns the trimmed text of a field, or "" if it is missing or a file. */
export function formText(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === "string" ? value.trim() : "";
}

/** A refused form, for its page to show. `values` are the texts that were sent, without the secrets. */
export type RefusedForm = {
  intent: string;
  ok: false;
  message?: string | undefined;
  fieldErrors?: Record<string, string> | undefined;
  values: Record<string, string>;
};

export type ParsedForm<Output> =
  /** `refuse` builds the result of a form that is valid in itself. */
  | { ok: true; input: Output; refuse: (why: Pick<RefusedForm, "message" | "fieldErrors">) => RefusedForm }
  | { ok: false; result: RefusedForm };

/**
 * Parses the fields that the schema names. Ignores all others, and all but the last value of a field sent twice.
 * `secrets` names the fields whose values are not returned to the form.
 */
export function parseForm<Output, Input>(
  form: FormData,
  schema: FormSchema<Output, Input>,
  { secrets = [] }: { secrets?: readonly string[] } = {},
): ParsedForm<Output> {
  const texts = textsOf(onlyFields(form, schema));
  const values = Object.fromEntries(Object.entries(texts).filter(([name]) => !secrets.includes(name)));
  const refuse = (why: Pick<RefusedForm, "message" | "fieldErrors">): RefusedForm => ({
    intent: formText(form, "intent"),
    ok: false,
    ...why,
    values,
  });
  const parsed = schema.safeParse(texts);
  if (parsed.success) return { ok: true, input: parsed.data, refuse };
  const fieldErrors = fieldErrorsOf(parsed.error);
  return { ok: false, result: refuse({ fieldErrors, message: fieldErrors[""] }) };
}

/** Returns the first message about each field, and under `whole` the first about all of them together. */
export function fieldErrorsOf({ issues }: Pick<z.ZodError, "issues">, whole = ""): Record<string, string> {
  // The last entry of a name wins.
  return Object.fromEntries(issues.map(({ path, message }) => [String(path[0] ?? whole), message]).reverse());
}

/** Returns the texts of a form by name. Leaves out files. */
function textsOf(form: FormData): Record<string, string> {
  return Object.fromEntries([...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])));
}

/** Returns the text fields that the schema names. Leaves out files. */
export function onlyFields(form: FormData, schema: FormSchema): FormData {
  const kept = new FormData();
  for (const name of namesIn(schema)) {
    for (const value of form.getAll(name)) if (typeof value === "string") kept.append(name, value);
  }
  return kept;
}

function namesIn(schema: FormSchema): Set<string> {
  const objects = "shape" in schema ? [schema] : schema.options;
  return new Set(objects.flatMap(({ shape }) => Object.keys(shape)));
}
