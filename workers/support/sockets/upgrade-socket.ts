import type { AppLoadContext } from "@remix-run/cloudflare";
import { readHeldViewer, sendsSession } from "#app/accounts/session/viewer.server.ts";
import { addressOf } from "#app/db/rate-limit.server.ts";
import { readerLocale } from "#app/http/requests/reader-locale.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { encodeIdentity, IDENTITY_HEADER, type SocketIdentity } from "#app/support/protocol/identity.ts";
import { agentIdentity, identityIn, readCaller } from "#app/support/room/room-access.server.ts";
import { RateLimits } from "#app/support/room/room-rate-limit.ts";

/** By address of strangers. In memory: a flood reaches one of the worker's copies most of the time. */
const upgrades = new RateLimits();

const ROOM_PATH = /^\/support\/sessions\/([\w-]+)\/socket$/;
const INBOX_PATH = "/admin/inbox/socket";

/** Upgrades requests for the socket paths. Returns null for every other request. */
export async function upgradeSupportSocket(request: Request, context: AppLoadContext): Promise<Response | null> {
  const url = new URL(request.url);
  const sessionId = ROOM_PATH.exec(url.pathname)?.[1];
  if (sessionId === undefined && url.pathname !== INBOX_PATH) return null;
  if (request.headers.get("Upgrade")?.toLowerCase() !== "websocket") {
    return new Response("This URL accepts WebSocket connections only.", {
      status: 426,
      headers: { Upgrade: "websocket" },
    });
  }
  // A browser sends cookies with a socket opened by any page, without a preflight.
  if (request.headers.get("Origin") !== url.origin) return new Response("Origin not allowed.", { status: 403 });
  const address = addressOf(request);
  const isStranger = !sendsSession(request);
  // Before the cookies are verified: this is where a flood ends.
  if (isStranger && isFlood(address)) return tooMany();
  const viewer = await readHeldViewer(request, context);
  const caller = await readCaller(request, context.env, viewer?.isHeld ? null : viewer);
  const refused = new Response(null, { status: viewer?.isHeld ? 403 : 404 });
  if (sessionId === undefined) {
    const agent = agentIdentity(caller);
    if (!agent) return refused;
    return context.env.SUPPORT_DESK.getByName(DESK_NAME).fetch("https://desk/", { headers: headersFor(agent) });
  }
  const identity = identityIn(sessionId, caller);
  if (!identity) return refused;
  // What it sent was no session.
  if (!isStranger && identity.authSession === null && isFlood(address)) return tooMany();
  // A new request, so that no header of the caller reaches the room.
  const query = new URLSearchParams(
    ["since", "last"].flatMap((name) => {
      const value = url.searchParams.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  const language = request.headers.get("Accept-Language");
  if (identity.side === "user" && language !== null) query.set("language", readerLocale(language));
  return context.env.SUPPORT_ROOM.getByName(sessionId).fetch(`https://room/?${query}`, {
    headers: headersFor(identity),
  });
}

/** Counts a stranger's upgrade and returns whether there are too many of their address. */
function isFlood(address: string | null): boolean {
  return address !== null && upgrades.take(address) !== "ok";
}

function tooMany(): Response {
  return new Response("Too many connections.", { status: 429, headers: { "Retry-After": "10" } });
}

function headersFor(identity: SocketIdentity): Record<string, string> {
  return { Upgrade: "websocket", [IDENTITY_HEADER]: encodeIdentity(identity) };
}
