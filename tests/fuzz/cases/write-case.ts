import type { Random } from "#tests/faults/seeded-random.ts";
import type { RawRequest } from "../client/raw-client.ts";
import type { JsonSchema } from "../surface/json-schema.ts";
import type { PageForm } from "../surface/page-forms.ts";
import type { Surface, SurfaceRoute } from "../surface/surface.ts";
import { type CallerName, type FuzzCase, KEY_PLACEHOLDER } from "./fuzz-case.ts";
import {
  CONTENT_TYPES,
  HOSTILE_HEADERS,
  HOSTILE_IDS,
  HOSTILE_JSON,
  HOSTILE_NAMES,
  HOSTILE_TEXTS,
  JSON_TEXTS,
  METHODS,
  markerOf,
  PATH_CHANGES,
  QUERIES,
} from "./hostile-values.ts";
import { BROKEN_MULTIPART, type Fields, MULTIPART_TYPE, multipart, RAW_BODIES, urlEncoded } from "./request-bodies.ts";
import { generateValue, type KnownValues } from "./schema-values.ts";

/** Source of the cases: the surface, and what a running copy shows of it. */
export type CaseSource = {
  surface: Surface;
  /** The forms that post to a route. */
  formsOf(pattern: string): readonly PageForm[];
  /** The schemas that the OpenAPI document gives for a route's body. */
  documentedSchemas(pattern: string): readonly JsonSchema[];
  /** Addresses of a route that exist. */
  pathsOf(pattern: string): readonly string[];
  known: KnownValues;
  origin: string;
};

/** A request before it is encoded. */
type Draft = {
  method: string;
  path: string;
  query: string;
  headers: [string, string][];
  type: string;
  content: Fields | object | Buffer | null;
  framing: RawRequest["framing"];
};

const WILD_SHARE = 0.25;
const MAX_WILD_CHANGES = 6;
/** These would waste the cases after them: they end the caller's own session or account. */
const ENDS_CALLER = /logout|account\/delete/;
/** Nearest schemas first: the further ones belong to what the route imports. */
const NEAR_SCHEMAS = 6;

const CALLERS_OF: readonly (readonly [RegExp, readonly CallerName[]])[] = [
  [ENDS_CALLER, [...Array<CallerName>(60).fill("visitor"), "customer"]],
  [/^\/admin/, ["admin", "admin", "admin", "agent", "agent", "customer", "visitor"]],
  [/^\/api\//, ["key", "key", "key", "readKey", "testKey", "testKey", "visitor", "customer"]],
  [/^\/auth\/v1|^\/functions/, ["token", "token", "token", "visitor", "customer"]],
  [/^\/(auth|reset)/, ["visitor", "visitor", "visitor", "customer", "admin"]],
  [/./, ["customer", "customer", "customer", "visitor", "agent", "admin"]],
];

/** Writes the case of this number, always the same one for the same `random` and source. */
export function writeCase(number: number, random: Random, source: CaseSource): FuzzCase {
  const { pick, chance, upTo } = random;
  const { surface, known } = source;
  const route = pick(surface.routes);
  const caller = pick(CALLERS_OF.find(([pattern]) => pattern.test(route.pattern))?.[1] ?? (["visitor"] as const));
  const hostileText = () => (chance(0.15) ? markerOf(number) : pick(HOSTILE_TEXTS));
  const hostileName = () => (chance(0.5) ? pick(route.names.length > 0 ? route.names : ["id"]) : pick(HOSTILE_NAMES));

  const draft = makeValid(route);
  const changes = changesOf(draft);
  const isWild = chance(WILD_SHARE);
  const count = isWild ? 2 + upTo(MAX_WILD_CHANGES) : chance(0.07) ? 0 : 1;
  for (let change = 0; change < count; change++) pick(changes)(draft);
  return { number, route: route.pattern, caller, request: encode(draft) };

  function makeValid(route: SurfaceRoute): Draft {
    const writes = route.hasAction && chance(0.75);
    const method = !writes ? "GET" : route.isPage || chance(0.7) ? "POST" : pick(["PUT", "PATCH", "DELETE"]);
    const address = `203.0.${upTo(256)}.${upTo(256)}`;
    const headers: [string, string][] = [["CF-Connecting-IP", address]];
    if (chance(0.3)) headers.push(["Origin", source.origin]);
    const draft: Draft = {
      method,
      path: makePath(route.pattern),
      query: "",
      headers,
      type: "",
      content: null,
      framing: "none",
    };
    if (!writes) return withQuery(draft);
    const schema = pickSchema(route);
    const forms = source.formsOf(route.pattern);
    if (route.isPage || schema === null) {
      draft.type = chance(0.85) ? "application/x-www-form-urlencoded" : MULTIPART_TYPE;
      const form = forms.length > 0 && chance(0.65) ? pick(forms) : null;
      draft.content = form ? filledForm(form) : fieldsOf(schema);
      // Some pages have what they change in their address.
      if (form?.action.includes("?")) draft.query = form.action.slice(form.action.indexOf("?"));
    } else {
      draft.type = "application/json";
      draft.content = Object(generateValue(schema, random, known));
      if (route.pattern.startsWith("/api/") && chance(0.5)) {
        draft.type = "application/x-www-form-urlencoded";
        draft.content = [
          ...textsOf(draft.content as object),
          ...(chance(0.3) ? [["key", KEY_PLACEHOLDER]] : []),
        ] as Fields;
      }
    }
    draft.framing = "length";
    return withQuery(draft);
  }

  /** Some actions read their query, such as the number of a part. */
  function withQuery(draft: Draft): Draft {
    if (chance(0.25) && route.names.length > 0) {
      const name = pick(route.names);
      const values = [...known(name), ...route.values, "1", "a", "2026-01-01"];
      draft.query = `?${urlEncoded([[name, pick(values)]])}`;
    }
    return draft;
  }

  function makePath(pattern: string): string {
    const paths = source.pathsOf(pattern);
    if (paths.length > 0 && chance(0.9)) return pick(paths);
    return pattern.replaceAll(/:\w+|\*/g, () => pick(HOSTILE_IDS));
  }

  function pickSchema({ pattern, schemas }: SurfaceRoute): JsonSchema | null {
    const documented = source.documentedSchemas(pattern);
    if (documented.length > 0 && chance(0.8)) return pick(documented);
    if (schemas.length === 0) return null;
    const near = chance(0.8) ? Math.min(NEAR_SCHEMAS, schemas.length) : schemas.length;
    return schemas[Math.min(upTo(near), upTo(near))] ?? null;
  }

  function filledForm({ fields, buttons }: PageForm): Fields {
    const filled = fields.map(([name, value]): [string, string] => {
      const values = known(name);
      return [name, value === "" && values.length > 0 ? pick(values) : value];
    });
    return buttons.length > 0 ? [...filled, pick(buttons)] : filled;
  }

  /** Returns fields that fit the schema, or that the route's sources name. */
  function fieldsOf(schema: JsonSchema | null): Fields {
    const value = schema && generateValue(schema, random, known);
    const fields = value ? textsOf(Object(value)) : [];
    while (fields.length < 2 || chance(0.4)) {
      const name = pick(route.names.length > 0 ? route.names : ["id"]);
      const values = known(name);
      fields.push([name, values.length > 0 ? pick(values) : pick(["1", "a", "12.50"])]);
    }
    const intents = [...known("intent"), ...route.values];
    if (intents.length > 0 && !fields.some(([name]) => name === "intent")) fields.unshift(["intent", pick(intents)]);
    return fields;
  }

  function changesOf({ content }: Draft): ((draft: Draft) => void)[] {
    const always = [changeHeader, changeHeader, changeMethod, changePath, changePath, changeQuery, changeQuery];
    if (content === null) return always;
    return [...always, ...Array(9).fill(changeField), changeBody, changeBody, changeType, changeFraming];
  }

  function changeField(draft: Draft): void {
    const { content } = draft;
    if (content === null || Buffer.isBuffer(content)) return;
    if (!Array.isArray(content)) draft.content = changeInside(content);
    else changeFields(content as Fields);
  }

  function changeFields(fields: Fields): void {
    const at = upTo(Math.max(1, fields.length));
    const name = fields[at]?.[0] ?? "id";
    const kind = upTo(10);
    if (kind < 5) fields[at] = [name, hostileText()];
    else if (kind === 5) fields[at] = [hostileName(), fields[at]?.[1] ?? ""];
    else if (kind === 6) fields.splice(at, 1);
    else if (kind === 7) fields.push([name, hostileText()]);
    else if (kind === 8) fields.push([hostileName(), hostileText()]);
    else fields[at] = [`${name}[]`, fields[at]?.[1] ?? ""];
  }

  function changeInside(content: object): object {
    const entries = Object.entries(content);
    const at = upTo(Math.max(1, entries.length));
    const [name = "id", value] = entries[at] ?? [];
    if (typeof value === "object" && value !== null && chance(0.4)) entries[at] = [name, changeInside(value)];
    else if (chance(0.7)) entries[at] = [name, chance(0.5) ? pick(HOSTILE_JSON) : hostileText()];
    else if (chance(0.5)) entries.splice(at, 1);
    else entries.push([hostileName(), chance(0.5) ? pick(HOSTILE_JSON) : hostileText()]);
    return Object.fromEntries(entries);
  }

  function changeHeader(draft: Draft): void {
    const [name, values] = pick(HOSTILE_HEADERS);
    // workerd itself refuses a request with two hosts.
    const hasHost = draft.headers.some(([known]) => known === "Host");
    if (name === "Host" && hasHost) return;
    draft.headers.push([name, pick(values)]);
    if (name !== "Host" && chance(0.15)) draft.headers.push([name, pick(values)]);
  }

  function changeMethod(draft: Draft): void {
    draft.method = pick(METHODS);
  }

  function changePath(draft: Draft): void {
    draft.path = chance(0.3)
      ? makePath(route.pattern).replace(/[^/]+$/, pick(HOSTILE_IDS))
      : pick(PATH_CHANGES)(draft.path);
  }

  function changeQuery(draft: Draft): void {
    draft.query = chance(0.15) ? pick(QUERIES) : `?${urlEncoded([[hostileName(), hostileText()]])}`;
  }

  function changeBody(draft: Draft): void {
    const kind = upTo(6);
    const encoded = bodyOf(draft);
    const at = upTo(encoded.length + 1);
    if (kind === 0) draft.content = encoded.subarray(0, at);
    else if (kind === 1) draft.content = pick(RAW_BODIES);
    else if (kind === 2) draft.content = Buffer.from(pick(JSON_TEXTS));
    else if (kind === 3)
      draft.content = Buffer.concat([encoded.subarray(0, at), pick(BAD_BYTES), encoded.subarray(at)]);
    else if (kind === 4) draft.content = pick(RAW_BODIES);
    else {
      draft.type = MULTIPART_TYPE;
      draft.content = pick(BROKEN_MULTIPART);
    }
  }

  function changeType(draft: Draft): void {
    draft.type = pick(CONTENT_TYPES);
  }

  function changeFraming(draft: Draft): void {
    draft.framing = chance(0.7) ? "chunked" : "short";
  }
}

const BAD_BYTES = [[0], [0xff], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0x0d, 0x0a], [0xef, 0xbb, 0xbf]].map((bytes) =>
  Buffer.from(bytes),
);

function encode(draft: Draft): RawRequest {
  const { method, path, query, headers, type, framing } = draft;
  const body = bodyOf(draft);
  const typed: [string, string][] = type === "" ? headers : [["Content-Type", type], ...headers];
  const hasBody = framing !== "none";
  return { method, target: path + query, headers: typed, body: hasBody ? body : Buffer.alloc(0), framing };
}

function bodyOf({ content, type }: Draft): Buffer {
  if (content === null) return Buffer.alloc(0);
  if (Buffer.isBuffer(content)) return content as Buffer;
  if (!Array.isArray(content)) return Buffer.from(JSON.stringify(content));
  const fields: Fields = content;
  const hasFile = fields.length % 3 === 0;
  return type === MULTIPART_TYPE ? multipart(fields, hasFile ? (fields[0]?.[0] ?? null) : null) : urlEncoded(fields);
}

function textsOf(value: object): Fields {
  return Object.entries(value).map(([name, field]): [string, string] => [
    name,
    typeof field === "object" && field !== null ? JSON.stringify(field) : String(field),
  ]);
}
