import type { AppLoadContext } from "@remix-run/cloudflare";
import { addressOf } from "#app/db/rate-limit.server.ts";
import { authorize } from "./api.server.ts";
import { type ApiError, ERRORS } from "./api-answers.server.ts";
import type { ApiCaller, ApiKeyScope } from "./api-keys.server.ts";
import { rateLimitHeaders } from "./api-meter.ts";

export type Passage = { headers: Record<string, string> } & (
  | { ok: true; caller: ApiCaller }
  | { ok: false; error: ApiError }
);

/** Who is asking, whether they may, and whether they may now. The headers go on the answer, whatever it is. */
export async function passGate(
  context: AppLoadContext,
  request: Request,
  key: string | null,
  scope: ApiKeyScope,
): Promise<Passage> {
  const caller = await authorize(context.db, key, scope, context.waitUntil);
  // Without a key that is known, the address counts: guessing is limited too.
  const who = caller.ok ? `key ${caller.keyId}` : `address ${addressOf(request) ?? "local"}`;
  const { API_METER, API_REQUESTS_PER_MINUTE } = context.env;
  const turn = await API_METER.get(API_METER.idFromName(who)).take(Number(API_REQUESTS_PER_MINUTE));
  const headers = rateLimitHeaders(turn);
  if (!turn.ok) return { ok: false, error: ERRORS.too_many_requests, headers };
  if (caller.ok) return { ok: true, caller, headers };
  const { ok: _, ...error } = caller;
  return { ok: false, error, headers: error.status === 401 ? { ...headers, "WWW-Authenticate": "Bearer" } : headers };
}
