import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";
import { type ConsoleFrame, parseConsoleFrame } from "#app/support/protocol/console-frames.ts";
import { type DownFrame, parseDown, type SupportSession } from "#app/support/protocol/frames.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import { signedIn } from "./signed-in-account.ts";

/** Visitors and sockets for the support tests, opened as a browser opens them. */

export const ORIGIN = "https://growline.example";
const TIMEOUT_MS = 5000;

export type Visitor = { sessionId: string; cookie: string };

export function startChat(body: object, cookie = ""): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/support/session`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
    body: JSON.stringify(body),
  });
}

export async function newVisitor(name = "Ada", email?: string): Promise<Visitor> {
  const response = await startChat({ name, email });
  expect(response.status).toBe(200);
  const { session } = await response.json<{ session: SupportSession }>();
  return { sessionId: session.session_id, cookie: cookiesOf(response) };
}

export function upgrade(
  path: string,
  cookie: string,
  origin: string | null = ORIGIN,
  more: HeadersInit = {},
): Promise<Response> {
  const headers = new Headers(more);
  headers.set("Upgrade", "websocket");
  headers.set("Cookie", cookie);
  if (origin !== null) headers.set("Origin", origin);
  return SELF.fetch(`${ORIGIN}${path}`, { headers });
}

export function roomOf(sessionId: string) {
  return env.SUPPORT_ROOM.getByName(sessionId);
}

export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Opens a socket that keeps its frames. `next(type)` waits for the first frame of that type not yet returned. */
export async function openConnection(
  sessionId: string,
  cookie: string,
  since = 0,
  more = "",
  headers: HeadersInit = {},
) {
  const response = await upgrade(
    `/support/sessions/${sessionId}/socket?since=${since}${more}`,
    cookie,
    ORIGIN,
    headers,
  );
  const socket = response.webSocket;
  if (!socket) throw new Error(`no socket: ${response.status}`);
  const frames: DownFrame[] = [];
  const teamFrames: ConsoleFrame[] = [];
  let closed: { code: number; reason: string } | null = null;
  let pongs = 0;
  socket.addEventListener("message", (event) => {
    const frame = parseDown(String(event.data));
    const teamFrame = parseConsoleFrame(String(event.data));
    if (frame) frames.push(frame);
    else if (teamFrame) teamFrames.push(teamFrame);
    else if (event.data === "pong") pongs += 1;
  });
  socket.addEventListener("close", ({ code, reason }) => {
    closed = { code, reason };
  });
  socket.accept();
  return {
    frames,
    /** Frames for the team, which a visitor's socket must never get. */
    teamFrames,
    raw: (data: string | ArrayBuffer) => socket.send(data),
    sendMessage: (clientId: string, body: string) => socket.send(JSON.stringify({ type: "send", clientId, body })),
    pongs: () => pongs,
    close: () => socket.close(1000, "done"),
    closed: () => until(() => closed),
    next: <T extends DownFrame["type"]>(type: T) =>
      until(() => {
        const at = frames.findIndex((frame) => frame.type === type);
        return at < 0 ? null : (frames.splice(at, 1)[0] as Extract<DownFrame, { type: T }>);
      }),
  };
}

/** Creates a conversation that an agent answered and closed. Both sockets stay open. */
export async function closedConversation() {
  const ada = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const visitor = await openConnection(ada.sessionId, ada.cookie);
  const desk = await openConnection(ada.sessionId, bo.cookie);
  visitor.sendMessage("a", "Where is it?");
  await desk.next("message");
  desk.sendMessage("b", "On its way");
  await desk.next("ack");
  await takeAction(ada.sessionId, bo.cookie, { action: "status", status: "closed" });
  return { ada, bo, visitor };
}

/** Submits an action as the console does, and returns the status. */
export async function takeAction(sessionId: string, cookie: string, action: AgentAction): Promise<number> {
  const response = await SELF.fetch(`${ORIGIN}/admin/support/${sessionId}/actions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: JSON.stringify(action),
    redirect: "manual",
  });
  return response.status;
}

type Found<T> = T | null | undefined | false;

export async function until<T>(look: () => Found<T> | Promise<Found<T>>): Promise<T> {
  const end = Date.now() + TIMEOUT_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error("timed out");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
