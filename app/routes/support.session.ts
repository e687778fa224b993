import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/viewer.server.ts";
import { logError } from "#app/http/log.ts";
import { grantConversation, ownSessionId, readCaller } from "#app/support/access.server.ts";
import { newAnonymousSessionId } from "#app/support/identity.ts";
import { parseStart } from "#app/support/start-request.ts";

const NO_STORE = { "Cache-Control": "no-store" };

/** The caller's conversation, if there is one, and what prefills the form. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await readViewer(request, context);
  const caller = await readCaller(request, context.env, viewer);
  const sessionId = ownSessionId(caller);
  const history = sessionId ? await context.env.SUPPORT_ROOM.getByName(sessionId).read(Number.MAX_SAFE_INTEGER) : null;
  return Response.json(
    { session: history?.session ?? null, profile: viewer && { name: viewer.fullName, email: viewer.email } },
    { headers: NO_STORE },
  );
}

/** Creates the conversation or reuses the caller's own; an id that is not the caller's counts for nothing. */
export async function action({ request, context }: ActionFunctionArgs) {
  const parsed = parseStart(await request.json().catch(() => null));
  if (!parsed.ok) return Response.json({ error: parsed.error }, { status: 422, headers: NO_STORE });
  const { name, email } = parsed.start;
  const viewer = await readViewer(request, context);
  const caller = await readCaller(request, context.env, viewer);
  const sessionId = ownSessionId(caller) ?? newAnonymousSessionId(Date.now());
  try {
    const session = await context.env.SUPPORT_ROOM.getByName(sessionId).open({
      sessionId,
      userId: viewer?.userId ?? null,
      name,
      email: email || null,
    });
    const headers = new Headers(NO_STORE);
    if (!viewer) headers.set("Set-Cookie", await grantConversation(request, context.env, sessionId));
    return Response.json({ session }, { headers });
  } catch (error) {
    logError("support session failed", error, { request_id: context.requestId, session_id: sessionId });
    return Response.json({ error: "Failed to create or retrieve session data" }, { status: 503, headers: NO_STORE });
  }
}
