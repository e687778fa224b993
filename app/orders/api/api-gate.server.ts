import type { AppLoadContext } from "@remix-run/cloudflare";
import { addressOf } from "#app/db/rate-limit.server.ts";
import { callObject } from "#app/http/call-object.ts";
import { type ApiCaller, type ApiKeyScope, digestOfKey, gateOf, isMarked } from "./api-keys.server.ts";
import { type Allowance, rateLimitHeaders } from "./api-meter.ts";
import { type ApiError, ERRORS } from "./api-responses.server.ts";
import type { OrderingKey } from "./unsettled-orders.server.ts";

export type Authorization = { headers: Record<string, string> } & (
  | { ok: true; caller: ApiCaller; key: OrderingKey }
  | { ok: false; error: ApiError }
);

/** Where a request comes from. `network` is the part of the address that the activity list shows. */
export type Client = { address: string | null; network: string | null; requestId: string };

/** Why a key's gate let a request in, or did not. Only those with a key that works and may be used count against it. */
export type Entry =
  | { kind: "entered"; caller: ApiCaller; allowance: Allowance; hasUnsettled: boolean }
  | { kind: "unknown_key" }
  | { kind: "email_unconfirmed" }
  | { kind: "address_not_allowed" };

/** Addresses that this isolate knows to be at their limit of refused keys, and until when, in ms. */
const exhausted = new Map<string, number>();
/** Digests of keys that this isolate has seen to work, so that those without a mark go on working beside a guesser. */
const worked = new Set<string>();
/** Maximum size of each. A forgotten entry costs one lookup. */
const MAX_REMEMBERED = 10_000;

/**
 * Authenticates the key, checks that it may be used from the client's address and for this scope, and counts the request
 * against its limit. `headers` belong on the response either way.
 */
export async function authorizeRequest(
  { env, db, requestId }: Pick<AppLoadContext, "env" | "db" | "requestId">,
  request: Request,
  key: string | null,
  scope: ApiKeyScope,
): Promise<Authorization> {
  const limit = Number(env.API_REQUESTS_PER_MINUTE);
  const digest = key === null ? null : digestOfKey(key);
  const spent = spentBy(env, request, key, digest, limit);
  if (spent) return refuse(ERRORS.too_many_requests, spent);
  const client = { address: request.headers.get("CF-Connecting-IP"), network: addressOf(request), requestId };
  const entry: Entry =
    digest === null
      ? { kind: "unknown_key" }
      : await callObject(async () => gateOf(env, digest).enter(digest, limit, client));
  switch (entry.kind) {
    // All limit guessing of keys, per network address. A stranger who knows a key can't use up its limit.
    case "unknown_key":
      return refuse(ERRORS.invalid_api_key, await countByAddress(env, request, limit));
    case "address_not_allowed":
      return refuse(ERRORS.address_not_allowed, await countByAddress(env, request, limit));
    case "email_unconfirmed":
      return refuse(ERRORS.email_unconfirmed, await countByAddress(env, request, limit));
    case "entered": {
      const { caller, allowance } = entry;
      db.userId = caller.userId;
      if (digest !== null) worked.add(digest);
      if (worked.size > MAX_REMEMBERED) worked.clear();
      if (!caller.scopes.includes(scope)) return refuse(missing(scope), allowance);
      if (!allowance.ok) return refuse(ERRORS.too_many_requests, allowance);
      const key = { digest: digest ?? "", hasUnsettled: entry.hasUnsettled };
      return { ok: true, caller, key, headers: rateLimitHeaders(allowance) };
    }
    default:
      return entry satisfies never;
  }
}

/**
 * Returns the allowance of an address that has none left, for a key that only a guesser would send. Guesses reach neither
 * an object nor the database then. A key of ours doesn't depend on what its neighbors guess.
 */
function spentBy(
  env: Env,
  request: Request,
  key: string | null,
  digest: string | null,
  limit: number,
): Allowance | null {
  const until = exhausted.get(addressKey(request)) ?? 0;
  const waitMs = until - Date.now();
  if (waitMs <= 0) return null;
  if (key !== null && digest !== null && (worked.has(digest) || isMarked(env, key))) return null;
  return { ok: false, limit, remaining: 0, resetSeconds: Math.ceil(waitMs / 1000) };
}

async function countByAddress({ API_GATE }: Env, request: Request, limit: number): Promise<Allowance> {
  const name = addressKey(request);
  const allowance = await callObject(async () => API_GATE.getByName(`address ${name}`).take(limit));
  if (!allowance.ok) {
    if (exhausted.size >= MAX_REMEMBERED) exhausted.clear();
    exhausted.set(name, Date.now() + allowance.resetSeconds * 1000);
  }
  return allowance;
}

function addressKey(request: Request): string {
  return addressOf(request) ?? "local";
}

function refuse(error: ApiError, allowance: Allowance): Authorization {
  const headers = rateLimitHeaders(allowance);
  if (!allowance.ok) return { ok: false, error: ERRORS.too_many_requests, headers };
  return { ok: false, error, headers: error.status === 401 ? { ...headers, "WWW-Authenticate": "Bearer" } : headers };
}

function missing(scope: ApiKeyScope): ApiError {
  return { status: 403, code: "missing_scope", text: `This key does not have the "${scope}" scope` };
}
