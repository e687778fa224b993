import type { Identity } from "#app/support/identity.ts";
import { presenceOf } from "#app/support/presence.ts";
import type { DownFrame, Hint } from "#app/support/protocol.ts";

type Attachment = Identity & { connectedAt: number };

/** The sockets of one room, or of the desk. Who is on them is in their attachments, which outlive a hibernation. */
export class RoomSockets {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** Takes in a new socket: the server's end of it, and the answer to the upgrade. */
  accept(identity: Identity): { socket: WebSocket; response: Response } {
    const { 0: client, 1: socket } = new WebSocketPair();
    this.#ctx.acceptWebSocket(socket, [identity.side]);
    socket.serializeAttachment({ ...identity, connectedAt: Date.now() } satisfies Attachment);
    return { socket, response: new Response(null, { status: 101, webSocket: client }) };
  }

  identityOf(socket: WebSocket): Identity {
    return attachmentOf(socket);
  }

  send(socket: WebSocket, frame: DownFrame): void {
    sendText(socket, JSON.stringify(frame));
  }

  broadcast(frame: DownFrame | Hint, except: WebSocket | null): void {
    const text = JSON.stringify(frame);
    for (const socket of this.#ctx.getWebSockets()) if (socket !== except) sendText(socket, text);
  }

  presence(leaving: WebSocket | null): ReturnType<typeof presenceOf> {
    const here = this.#ctx.getWebSockets().filter((socket) => socket !== leaving);
    const connected = here.map((socket) => {
      const { side, author, connectedAt } = attachmentOf(socket);
      const pinged = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
      return { side, author, seenAt: Math.max(connectedAt, pinged) };
    });
    return presenceOf(connected, Date.now());
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
  // A socket that closes this moment throws; its browser resumes from its last seq.
  try {
    socket.send(text);
  } catch {
    socket.close(1011, "not reachable");
  }
}
