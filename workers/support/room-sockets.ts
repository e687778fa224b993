import type { Agent, ConsoleFrame, VisitedPage } from "#app/support/protocol/console-frames.ts";
import type { DownFrame, Hint } from "#app/support/protocol/frames.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { agentsOf, presenceOf } from "#app/support/room/presence.ts";

/**
 * Declines compression: an unknown extension name accepts none. Browsers offer it and workerd accepts it, but these
 * frames are too small to gain from it, and it costs more than the rest of the room together:
 * docs/decisions/support/0021-no-socket-compression.md.
 */
const UNCOMPRESSED = { "Sec-WebSocket-Extensions": "none" };

/** The platform allows 2,048 bytes, hence the limits on a page's path and title. */
type Attachment = Identity & { connectedAt: number; page?: VisitedPage & { at: number } };

/** The sockets of a room or of the desk. Identities are in the attachments, which survive hibernation. */
export class RoomSockets {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Accepts a new socket. Returns the server's end of it and the response to the upgrade. */
  accept(identity: Identity): { socket: WebSocket; response: Response } {
    const { 0: client, 1: socket } = new WebSocketPair();
    this.#ctx.acceptWebSocket(socket, [identity.side]);
    socket.serializeAttachment({ ...identity, connectedAt: Date.now() } satisfies Attachment);
    return { socket, response: new Response(null, { status: 101, webSocket: client, headers: UNCOMPRESSED }) };
  }

  identityOf(socket: WebSocket): Identity {
    return attachmentOf(socket);
  }

  send(socket: WebSocket, frame: DownFrame | ConsoleFrame): void {
    sendText(socket, JSON.stringify(frame));
  }

  broadcast(frame: DownFrame | Hint, except: WebSocket | null): void {
    const text = JSON.stringify(frame);
    for (const socket of this.#ctx.getWebSockets()) if (socket !== except) sendText(socket, text);
  }

  /** Sends to agents only. */
  broadcastToTeam(frame: ConsoleFrame, except: WebSocket | null): void {
    const text = JSON.stringify(frame);
    for (const socket of this.#ctx.getWebSockets("admin")) if (socket !== except) sendText(socket, text);
  }

  broadcastToVisitor(frame: DownFrame): void {
    const text = JSON.stringify(frame);
    for (const socket of this.#ctx.getWebSockets("user")) sendText(socket, text);
  }

  setPage(socket: WebSocket, { path, title }: VisitedPage): void {
    socket.serializeAttachment({ ...attachmentOf(socket), page: { path, title, at: Date.now() } } satisfies Attachment);
  }

  /** Returns the page of the visitor's tab that navigated last. */
  visitedPage(leaving: WebSocket | null): VisitedPage | null {
    const pages = this.#ctx
      .getWebSockets("user")
      .flatMap((socket) => (socket === leaving ? [] : (attachmentOf(socket).page ?? [])))
      .sort((one, other) => other.at - one.at);
    return pages[0] ? { path: pages[0].path, title: pages[0].title } : null;
  }

  agents(leaving: WebSocket | null): Agent[] {
    return agentsOf(this.#connected(leaving), Date.now());
  }

  presence(leaving: WebSocket | null): ReturnType<typeof presenceOf> {
    return presenceOf(this.#connected(leaving), Date.now());
  }

  #connected(leaving: WebSocket | null) {
    const staying = this.#ctx.getWebSockets().filter((socket) => socket !== leaving);
    return staying.map((socket) => {
      const { side, author, name, connectedAt } = attachmentOf(socket);
      const pinged = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
      return { side, author, name, seenAt: Math.max(connectedAt, pinged) };
    });
  }

  broadcastPresence(leaving: WebSocket | null): void {
    this.broadcast({ type: "presence", ...this.presence(leaving) }, leaving);
  }

  closeAll(code: number, reason: string): void {
    for (const socket of this.#ctx.getWebSockets()) socket.close(code, reason);
  }
}

function attachmentOf(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment;
}

function sendText(socket: WebSocket, text: string): void {
  // Sending to a socket that is closing throws; its browser resumes from its last seq.
  try {
    socket.send(text);
  } catch {
    socket.close(1011, "send failed");
  }
}
