import type { AppLoadContext } from "@remix-run/cloudflare";
import { addressOf } from "#app/db/rate-limit.server.ts";
import { type ApiCaller, type ApiKeyScope, digestOfKey, gateOf } from "./api-keys.server.ts";
import { type Allowance, rateLimitHeaders } from "./api-meter.ts";
import { type ApiError, ERRORS } from "./api-responses.server.ts";

export type Authorization = { headers: Record<string, string> } & (
  | { ok: true; caller: ApiCaller }
  | { ok: false; error: ApiError }
);

/**
 * Authenticates the key, checks its scope and counts the request against its limit. `headers` belong on the response
 * either way.
 */
export async function authorizeRequest(
  { env }: AppLoadContext,
  request: Request,
  key: string | null,
  scope: ApiKeyScope,
): Promise<Authorization> {
  const limit = Number(env.API_REQUESTS_PER_MINUTE);
  const digest = key === null ? null : digestOfKey(key);
  const { holder, allowance } = digest === null ? NOBODY : await gateOf(env, digest).enter(digest, limit);
  if (!holder) {
    // Limits guessing of keys, per network address.
    const address = `address ${addressOf(request) ?? "local"}`;
    return refuse(ERRORS.invalid_api_key, await env.API_GATE.get(env.API_GATE.idFromName(address)).take(limit));
  }
  if (!holder.scopes.includes(scope)) return refuse(missing(scope), allowance);
  if (!allowance.ok) return refuse(ERRORS.too_many_requests, allowance);
  return { ok: true, caller: holder, headers: rateLimitHeaders(allowance) };
}

const NOBODY = { holder: null, allowance: null };

function refuse(error: ApiError, allowance: Allowance): Authorization {
  const headers = rateLimitHeaders(allowance);
  if (!allowance.ok) return { ok: false, error: ERRORS.too_many_requests, headers };
  return { ok: false, error, headers: error.status === 401 ? { ...headers, "WWW-Authenticate": "Bearer" } : headers };
}

function missing(scope: ApiKeyScope): ApiError {
  return { status: 403, code: "missing_scope", text: `This key does not have the "${scope}" scope` };
}
