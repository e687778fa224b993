import type { AppLoadContext } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { FRAME_MAX_CHARS } from "#app/support/protocol/frames.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { identityIn, readCaller } from "#app/support/room/room-access.server.ts";

/** What the routes below /support/sessions/:id share: who is asking, and how they refuse. */

export const SAID_STATUS = { gone: 404, rate_limited: 429, blocked: 403 } as const;
export const NO_STORE = { "Cache-Control": "no-store" };

/** Throws 404 for a room that is not the caller's, as for one that does not exist. */
export async function enterRoom(
  request: Request,
  context: AppLoadContext,
  sessionId: string,
): Promise<{ room: ReturnType<Env["SUPPORT_ROOM"]["getByName"]>; identity: Identity }> {
  const caller = await readCaller(request, context.env, await readViewer(request, context));
  const identity = identityIn(sessionId, caller);
  if (!identity) throw refuse("not_found", 404);
  return { room: context.env.SUPPORT_ROOM.getByName(sessionId), identity };
}

/** Null for what is no JSON. Throws 413 for what is larger than any frame. */
export async function readJson(request: Request): Promise<unknown> {
  const bytes = await readAtMost(request, FRAME_MAX_CHARS);
  if (!bytes) throw refuse("too_large", 413);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}

export function refuse(error: string, status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers: { ...NO_STORE, ...headers } });
}
