import type { InboxChange } from "#app/support/inbox/inbox-change.ts";
import { CLOSE } from "#app/support/protocol/close-codes.ts";
import type { Agent, ConsoleFrame, VisitedPage } from "#app/support/protocol/console-frames.ts";
import type { DownFrame, Hint, Side } from "#app/support/protocol/frames.ts";
import type { SocketIdentity } from "#app/support/protocol/identity.ts";
import { agentsOf, type Connection, isLive, nextPresenceCheck, presenceOf } from "#app/support/room/presence.ts";

/**
 * Declines compression: an unknown extension name accepts none. Browsers offer it and workerd accepts it, but these
 * frames are too small to gain from it, and it costs more than the rest of the room together:
 * docs/decisions/support/0021-no-socket-compression.md.
 */
const UNCOMPRESSED = { "Sec-WebSocket-Extensions": "none" };

/** The platform allows 2,048 bytes, hence the limits on a page's path and title. */
type Attachment = SocketIdentity & {
  connectedAt: number;
  page?: VisitedPage & { at: number };
  /** Has not pinged lately, and the others were told. */
  isQuiet?: true;
  /** Closed because its session ended. The other end may still send. */
  isSignedOut?: true;
};

/** The sockets of a room or of the desk. Identities are in the attachments, which survive hibernation. */
export class RoomSockets {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Accepts a new socket. Returns the server's end of it and the response to the upgrade. */
  accept(identity: SocketIdentity): { socket: WebSocket; response: Response } {
    const { 0: client, 1: socket } = new WebSocketPair();
    this.#ctx.acceptWebSocket(socket, [identity.side]);
    socket.serializeAttachment({ ...identity, connectedAt: Date.now() } satisfies Attachment);
    return { socket, response: new Response(null, { status: 101, webSocket: client, headers: UNCOMPRESSED }) };
  }

  attachmentOf(socket: WebSocket): Attachment {
    return attachmentOf(socket);
  }

  identityOf(socket: WebSocket): SocketIdentity {
    return attachmentOf(socket);
  }

  /** Lists the open sockets of signed-in sessions. */
  signedIn(): WebSocket[] {
    return this.#open().filter((socket) => attachmentOf(socket).authSession !== null);
  }

  /** Closes a socket whose session has ended. */
  signOut(socket: WebSocket): void {
    socket.serializeAttachment({ ...attachmentOf(socket), isSignedOut: true } satisfies Attachment);
    socket.close(CLOSE.signedOut, "signed out");
  }

  /** Closes the sockets of these sessions of a user, of all for null. */
  signOutSessions(userId: string, sessionIds: string[] | null): void {
    for (const socket of this.#open()) {
      const { authSession } = attachmentOf(socket);
      if (authSession?.userId !== userId) continue;
      if (sessionIds === null || sessionIds.includes(authSession.id)) this.signOut(socket);
    }
  }

  isSignedOut(socket: WebSocket): boolean {
    return attachmentOf(socket).isSignedOut === true;
  }

  hasAgent(userId: string): boolean {
    return this.#open("admin").some((socket) => attachmentOf(socket).authSession?.userId === userId);
  }

  /** Lists sockets that are not closing. */
  #open(side?: Side): WebSocket[] {
    return this.#ctx
      .getWebSockets(side)
      .filter((socket) => socket.readyState === WebSocket.OPEN && !attachmentOf(socket).isSignedOut);
  }

  send(socket: WebSocket, frame: DownFrame | ConsoleFrame): void {
    sendText(socket, JSON.stringify(frame));
  }

  broadcast(frame: DownFrame | (Hint & { change?: InboxChange }), except: WebSocket | null): void {
    const text = JSON.stringify(frame);
    for (const socket of this.#open()) if (socket !== except) sendText(socket, text);
  }

  /** Sends to agents only. */
  broadcastToTeam(frame: ConsoleFrame, except: WebSocket | null): void {
    const text = JSON.stringify(frame);
    for (const socket of this.#open("admin")) if (socket !== except) sendText(socket, text);
  }

  broadcastToVisitor(frame: DownFrame): void {
    const text = JSON.stringify(frame);
    for (const socket of this.#open("user")) sendText(socket, text);
  }

  setPage(socket: WebSocket, { path, title }: VisitedPage): void {
    socket.serializeAttachment({ ...attachmentOf(socket), page: { path, title, at: Date.now() } } satisfies Attachment);
  }

  /** Returns the page of the visitor's tab that navigated last. */
  visitedPage(leaving: WebSocket | null): VisitedPage | null {
    const pages = this.#open("user")
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

  /** Notes which sockets have gone quiet or come back since the last call. Returns whether any has. */
  noteQuiet(): boolean {
    const now = Date.now();
    const changed = this.#open().filter((socket) => {
      const { isQuiet = false } = attachmentOf(socket);
      return isQuiet === isLive(this.#connectionOf(socket), now);
    });
    for (const socket of changed) {
      const { isQuiet, ...rest } = attachmentOf(socket);
      socket.serializeAttachment((isQuiet ? rest : { ...rest, isQuiet: true }) satisfies Attachment);
    }
    return changed.length > 0;
  }

  /** Returns when to call `noteQuiet` again, in ms since 1970, or null while nobody is there to be told. */
  nextPresenceCheck(): number | null {
    return nextPresenceCheck(this.#connected(null), Date.now());
  }

  #connected(leaving: WebSocket | null): Connection[] {
    const staying = this.#open().filter((socket) => socket !== leaving);
    return staying.map((socket) => this.#connectionOf(socket));
  }

  #connectionOf(socket: WebSocket): Connection {
    const { side, author, name, connectedAt } = attachmentOf(socket);
    const pinged = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return { side, author, name, seenAt: Math.max(connectedAt, pinged) };
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
