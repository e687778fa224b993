import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readViewer, type Viewer } from "#app/accounts/session/viewer.server.ts";
import { logError } from "#app/http/log.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { moveDevices } from "#app/push/subscriptions.server.ts";
import { randomHex } from "#app/support/protocol/random-hex.ts";
import { newAnonymousSessionId, userSessionId } from "#app/support/protocol/session-id.ts";
import { parseStart, type StartInput } from "#app/support/protocol/start-input.ts";
import { limitStarts } from "#app/support/room/chat-limits.server.ts";
import {
  type Caller,
  grantConversation,
  ownSessionId,
  readCaller,
  releaseConversation,
} from "#app/support/room/room-access.server.ts";

const TOO_MANY = "Too many chats were started from your network. Please try again in an hour.";

/** Returns the caller's conversation, if any, and the profile that prefills the form. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { viewer, caller, headers } = await callerOf({ request, context });
  const sessionId = ownSessionId(caller);
  const session = sessionId ? await context.env.SUPPORT_ROOM.getByName(sessionId).session(viewer?.email ?? null) : null;
  return Response.json({ session, profile: viewer && { name: viewer.fullName, email: viewer.email } }, { headers });
}

/** Creates the conversation or reuses the caller's own; a session id in the body is ignored. */
export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, ["GET", "POST"]);
  const parsed = parseStart(await readJsonBody(request));
  const { viewer, caller, headers } = await callerOf({ request, context });
  if (!parsed.ok) return Response.json({ error: parsed.error }, { status: 422, headers });
  if (!ownSessionId(caller)) {
    const allowed = await limitStarts(context.db, request);
    if (!allowed.ok) {
      headers.set("Retry-After", String(allowed.retryAfterSeconds));
      return Response.json({ error: TOO_MANY }, { status: 429, headers });
    }
  }
  try {
    const session = await openConversation(context, caller, parsed.start, publicOrigin(context.env, request));
    if (!viewer) headers.set("Set-Cookie", await grantConversation(request, context.env, session.session_id));
    return Response.json({ session }, { headers });
  } catch (error) {
    logError("support session failed", error, { request_id: context.requestId });
    return Response.json({ error: "Failed to create or retrieve session data" }, { status: 503, headers });
  }
}

async function callerOf({ request, context }: Pick<LoaderFunctionArgs, "request" | "context">): Promise<{
  viewer: Viewer | null;
  caller: Caller;
  headers: Headers;
}> {
  const viewer = await readViewer(request, context);
  const caller = await readCaller(request, context.env, viewer);
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (viewer && caller.anonymousId) {
    const isAdopted = await adoptConversation(context, viewer, caller.anonymousId);
    if (isAdopted) headers.set("Set-Cookie", await releaseConversation(request, context.env));
  }
  return { viewer, caller, headers };
}

/** Moves the conversation from before the sign-in to the account. Resolves to false if it must be retried. */
async function adoptConversation(
  { env, db, requestId }: AppLoadContext,
  { userId, email, sessionId }: Viewer,
  anonymousId: string,
): Promise<boolean> {
  try {
    await env.SUPPORT_ROOM.getByName(userSessionId(userId)).adopt({ userId, email }, anonymousId);
    await moveDevices(db, anonymousId, { userId, sessionId });
    return true;
  } catch (error) {
    logError("support conversation not adopted", error, { request_id: requestId, session_id: anonymousId });
    return false;
  }
}

async function openConversation({ env }: AppLoadContext, caller: Caller, { name, email }: StartInput, origin: string) {
  const userId = caller.person?.userId ?? null;
  // Agents trust the address of a signed-in person, and emails go there.
  const address = caller.person?.email ?? (email || null);
  const start = (sessionId: string) =>
    env.SUPPORT_ROOM.getByName(sessionId).open({ sessionId, userId, name, email: address, origin });
  const own = ownSessionId(caller);
  // An anonymous conversation that an account has adopted is replaced by a new one.
  const session = (own && (await start(own))) || (await start(newAnonymousSessionId(Date.now(), randomHex())));
  if (!session) throw new Error("the room did not open a new conversation");
  return session;
}
