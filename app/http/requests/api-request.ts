import { readOutsideJson } from "#app/http/outside-json.ts";
import { bearerToken } from "./bearer-token.ts";
import { countedForm } from "./counted-form.ts";
import { decodePairs, isSurelyUtf8 } from "./form-charset.ts";
import { readAtMost } from "./read-at-most.ts";

const MAX_BODY_BYTES = 1_000_000;
/** A list has a field for each item in PHP's notation, and the longest list of an order has so many lines. */
export const API_MAX_FIELDS = 100_000;
/** A part of a multipart form costs many times a field of another one, and nobody sends lists that way. */
export const API_MAX_PARTS_OF_FORM = 2000;
/** Names of fields. No request has a tenth of them. */
export const API_MAX_NAMES = 500;
/** Objects, lists and members of a JSON body. Its lists may have any number of items. */
export const API_MAX_PARTS = 500;

/** The fields of a request, all as text. A list in a JSON body becomes lines. */
export type ApiFields = Record<string, string>;

export type ApiRequest =
  /** `hangUp` aborts when the client hangs up before it has the response. */
  | { ok: true; fields: ApiFields; key: string | null; idempotencyKey: string | null; hangUp: AbortSignal }
  /** `key` is the Bearer token: a wrong key is a wrong key, whatever is wrong with the body. */
  | { ok: false; status: number; text: string; key: string | null };

/**
 * Reads an API request with a form, JSON or no body. The key is a Bearer token or in the body. Refuses other types of
 * bodies with 415.
 */
export async function readApiRequest(request: Request): Promise<ApiRequest> {
  const url = new URL(request.url);
  if (url.searchParams.has("key")) {
    return { ...refuse(400, "Send the key in the body or as a Bearer token: URLs end up in logs"), key: null };
  }
  const bearer = bearerToken(request);
  const body = await readBody(request);
  if (!body.ok) return { ...body, key: bearer };
  const query = queryOf(url);
  if (query === null) return { ...NOT_ITS_CHARSET, key: bearer };
  const fields: ApiFields = { ...query, ...body.fields };
  const key = bearer ?? fields.key ?? null;
  delete fields.key;
  const idempotencyKey = request.headers.get("Idempotency-Key") ?? null;
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
    return { ...refuse(400, "Send an Idempotency-Key of 1 to 255 printable characters"), key };
  }
  return { ok: true, fields, key, idempotencyKey, hangUp: request.signal };
}

export function isIdempotencyKey(text: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(text);
}

const FORM_TYPE = "application/x-www-form-urlencoded";

type Body = { ok: true; fields: ApiFields } | { ok: false; status: number; text: string };

/** Clients in the field send forms and JSON also as text, as nothing in particular, or without a type. */
const READABLE = /^($|multipart\/form-data|application\/(.*json|x-www-form-urlencoded|octet-stream)|text\/plain)/;

async function readBody(request: Request): Promise<Body> {
  if (request.method === "GET" || request.method === "HEAD") return { ok: true, fields: {} };
  const encoding = request.headers.get("Content-Encoding") ?? "identity";
  if (encoding !== "identity") return refuse(415, `Send the body without Content-Encoding: ${encoding.slice(0, 40)}`);
  const type = request.headers.get("Content-Type")?.trim().toLowerCase() ?? "";
  if (!READABLE.test(type)) return refuse(415, `Send a form or JSON, not ${type.slice(0, 80)}`);
  const bytes = await readAtMost(request, MAX_BODY_BYTES);
  if (!bytes) return refuse(413, "The request is larger than 1 MB");
  if (bytes.byteLength === 0) return { ok: true, fields: {} };
  try {
    if (type.startsWith("multipart/form-data") || type.startsWith(FORM_TYPE)) {
      return await formFields(bytes, request.headers.get("Content-Type") ?? "");
    }
    // Some clients post JSON or a form without a content type.
    if (!type.includes("json") && !startsObject(bytes)) {
      return await formFields(withoutQuestionMark(bytes), type.replace(/^[^;]*/, FORM_TYPE));
    }
    const read = readOutsideJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes), API_MAX_PARTS);
    if (!read.ok && read.reason === "too_many_parts") return TOO_MANY_FIELDS;
    if (!read.ok) return refuse(400, type.includes("json") ? NOT_JSON : UNREADABLE);
    const body = read.value;
    if (typeof body !== "object" || body === null || Array.isArray(body)) return refuse(400, "Send one JSON object");
    return { ok: true, fields: textsOf(body) };
  } catch {
    return refuse(400, type.includes("json") ? NOT_JSON : UNREADABLE);
  }
}

async function formFields(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Body> {
  const maxFields = /^multipart/i.test(contentType) ? API_MAX_PARTS_OF_FORM : API_MAX_FIELDS;
  const read = await countedForm(bytes, contentType, maxFields);
  if (read.ok) return fieldsOf(read.form);
  return read.reason === "too_many_fields" ? TOO_MANY_FIELDS : NOT_ITS_CHARSET;
}

function startsObject(bytes: Uint8Array<ArrayBuffer>): boolean {
  return new TextDecoder().decode(bytes).trimStart().startsWith("{");
}

/** Some clients post what they would write behind an address. */
function withoutQuestionMark(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes[0] === "?".charCodeAt(0) ? bytes.subarray(1) : bytes;
}

const NOT_JSON = "The body is not valid JSON";
const UNREADABLE = "The body could not be read";
const NOT_ITS_CHARSET = refuse(
  400,
  `Text is not UTF-8. Send UTF-8, or name its charset in the Content-Type, as in ${FORM_TYPE}; charset=ISO-8859-1`,
);
const TOO_MANY_FIELDS = refuse(413, "The request has too many fields");

function fieldsOf(form: Iterable<[string, unknown]>): Body {
  const fields = gather(form, API_MAX_NAMES);
  return fields === null ? TOO_MANY_FIELDS : { ok: true, fields: textsOf(fields) };
}

/** Returns null if its text is not UTF-8, and no `_charset_` says what it is. */
function queryOf({ search, searchParams }: URL): ApiFields | null {
  const query = isSurelyUtf8(searchParams, null) ? searchParams : decodePairs(Buffer.from(search.slice(1)), null);
  if (query === null) return null;
  const fields = Object.entries(gather(query, Number.POSITIVE_INFINITY) ?? {});
  return Object.fromEntries(
    fields.map(([name, value]) => [name, Array.isArray(value) ? value.join("\n") : String(value)]),
  );
}

/** Lists that clients in Python and Go send by repeating the name. Of every other name, the last value counts. */
const REPEATED = new Set(["orders", "refills"]);

/** Returns fields by name, or null if there are too many. Joins `orders[]` or `orders[0]`, PHP's notation, into one list. */
function gather(form: Iterable<[string, unknown]>, maxNames: number): object | null {
  const fields = new Map<string, unknown>();
  const lists = new Map<string, unknown[]>();
  const repeated = new Map<string, unknown[]>();
  for (const [name, value] of form) {
    const list = /^(\w+)\[\d*\]$/.exec(name)?.[1];
    if (list !== undefined) append(lists, list, value);
    else if (REPEATED.has(name)) append(repeated, name, value);
    else fields.set(name, value);
    if (fields.size + lists.size + repeated.size > maxNames) return null;
  }
  return Object.fromEntries([...lists, ...repeated, ...fields]);
}

function append(lists: Map<string, unknown[]>, name: string, value: unknown): void {
  if (!lists.get(name)?.push(value)) lists.set(name, [value]);
}

/** Fields that must not be ignored, whatever they are. What is no text becomes empty, which they can't be. */
const TEXT_FIELDS = new Set(["reference", "max_charge"]);

/** Returns the fields that are text, numbers, booleans or lists of those, and metadata as JSON. Ignores the others. */
function textsOf(body: object): ApiFields {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(body)) {
    const isObject = typeof value === "object" && value !== null;
    const own = name === "metadata" ? JSON.stringify(value) : TEXT_FIELDS.has(name) ? "" : null;
    const text = isObject && own !== null ? own : textOf(value);
    // JavaScript clients post their unset variables by name.
    if (text !== null && text !== "undefined" && text !== "null") fields.set(name, text);
  }
  return Object.fromEntries(fields);
}

function textOf(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return String(value);
  if (!Array.isArray(value)) return null;
  const items = value.map((item) => (Array.isArray(item) ? null : textOf(item)));
  return items.includes(null) ? null : items.join("\n");
}

function refuse(status: number, text: string): Body & { ok: false } {
  return { ok: false, status, text };
}
