import type { AppLoadContext } from "@remix-run/cloudflare";
import { addressOf } from "#app/db/rate-limit.server.ts";
import { type ApiCaller, type ApiKeyScope, digestOfKey, gateOf } from "./api-keys.server.ts";
import { rateLimitHeaders, type Turn } from "./api-meter.ts";
import { type ApiError, ERRORS } from "./api-responses.server.ts";

export type Passage = { headers: Record<string, string> } & (
  | { ok: true; caller: ApiCaller }
  | { ok: false; error: ApiError }
);

/** Who is asking, whether they may, and whether they may now. The headers go on the answer, whatever it is. */
export async function passGate(
  { env }: AppLoadContext,
  request: Request,
  key: string | null,
  scope: ApiKeyScope,
): Promise<Passage> {
  const limit = Number(env.API_REQUESTS_PER_MINUTE);
  const digest = key === null ? null : await digestOfKey(key);
  const { holder, turn } = digest === null ? NOBODY : await gateOf(env, digest).enter(digest, limit);
  if (!holder) {
    // Guessing is limited too, by the address.
    const address = `address ${addressOf(request) ?? "local"}`;
    return refuse(ERRORS.invalid_api_key, await env.API_GATE.get(env.API_GATE.idFromName(address)).take(limit));
  }
  if (!holder.scopes.includes(scope)) return refuse(missing(scope), turn);
  if (!turn.ok) return refuse(ERRORS.too_many_requests, turn);
  return { ok: true, caller: holder, headers: rateLimitHeaders(turn) };
}

const NOBODY = { holder: null, turn: null };

function refuse(error: ApiError, turn: Turn): Passage {
  const headers = rateLimitHeaders(turn);
  if (!turn.ok) return { ok: false, error: ERRORS.too_many_requests, headers };
  return { ok: false, error, headers: error.status === 401 ? { ...headers, "WWW-Authenticate": "Bearer" } : headers };
}

function missing(scope: ApiKeyScope): ApiError {
  return { status: 403, code: "missing_scope", text: `This key has no scope "${scope}"` };
}
