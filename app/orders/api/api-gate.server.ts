import type { AppLoadContext } from "@remix-run/cloudflare";
import { addressOf } from "#app/db/rate-limit.server.ts";
import { type ApiCaller, type ApiKeyScope, digestOfKey, gateOf } from "./api-keys.server.ts";
import { type Allowance, rateLimitHeaders } from "./api-meter.ts";
import { type ApiError, ERRORS } from "./api-responses.server.ts";

export type Authorization = { headers: Record<string, string> } & (
  | { ok: true; caller: ApiCaller }
  | { ok: false; error: ApiError }
);

/** Where a request comes from. `network` is the part of the address that the activity list shows. */
export type Client = { address: string | null; network: string | null; requestId: string };

/** Why a key's gate let a request in, or did not. Only those with a key that works and may be used count against it. */
export type Entry =
  | { kind: "entered"; caller: ApiCaller; allowance: Allowance }
  | { kind: "unknown_key" }
  | { kind: "email_unconfirmed" }
  | { kind: "address_not_allowed" };

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
  const client = { address: request.headers.get("CF-Connecting-IP"), network: addressOf(request), requestId };
  const entry: Entry =
    digest === null ? { kind: "unknown_key" } : await gateOf(env, digest).enter(digest, limit, client);
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
      if (!caller.scopes.includes(scope)) return refuse(missing(scope), allowance);
      if (!allowance.ok) return refuse(ERRORS.too_many_requests, allowance);
      return { ok: true, caller, headers: rateLimitHeaders(allowance) };
    }
    default:
      return entry satisfies never;
  }
}

async function countByAddress({ API_GATE }: Env, request: Request, limit: number): Promise<Allowance> {
  return API_GATE.get(API_GATE.idFromName(`address ${addressOf(request) ?? "local"}`)).take(limit);
}

function refuse(error: ApiError, allowance: Allowance): Authorization {
  const headers = rateLimitHeaders(allowance);
  if (!allowance.ok) return { ok: false, error: ERRORS.too_many_requests, headers };
  return { ok: false, error, headers: error.status === 401 ? { ...headers, "WWW-Authenticate": "Bearer" } : headers };
}

function missing(scope: ApiKeyScope): ApiError {
  return { status: 403, code: "missing_scope", text: `This key does not have the "${scope}" scope` };
}
