import type { AppLoadContext } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { identityIn, readCaller } from "#app/support/room/room-access.server.ts";

/** Shared by the routes below /support/sessions/:id. */

export const SEND_ERROR_STATUS = { gone: 404, rate_limited: 429, blocked: 403 } as const;
export const NO_STORE = { "Cache-Control": "no-store" };

/** Returns what gives a stub of the room, a new one for each call, and the caller's identity in it. Throws 404 if it is not the caller's or does not exist. */
export async function authorizeRoom(
  request: Request,
  context: AppLoadContext,
  sessionId: string,
): Promise<{ room: () => ReturnType<Env["SUPPORT_ROOM"]["getByName"]>; identity: Identity }> {
  const caller = await readCaller(request, context.env, await readViewer(request, context));
  const identity = identityIn(sessionId, caller);
  if (!identity) throw refuse("not_found", 404);
  return { room: () => context.env.SUPPORT_ROOM.getByName(sessionId), identity };
}

export function refuse(error: string, status: number, headers: Record<string, string> = {}): Response {
  return Response.json({ error }, { status, headers: { ...NO_STORE, ...headers } });
}
