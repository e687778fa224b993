import { DurableObject } from "cloudflare:workers";
import { replyCloseCode } from "#app/support/protocol/close-codes.ts";
import { type Hint, PING, PONG } from "#app/support/protocol/frames.ts";
import { decodeIdentity, IDENTITY_HEADER } from "#app/support/protocol/identity.ts";
import { RoomSockets } from "./room-sockets.ts";

/** Tells every open console that a conversation has changed in D1. Stores nothing. */
export class SupportDesk extends DurableObject<Env> {
  readonly #sockets: RoomSockets;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sockets = new RoomSockets(ctx);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Accepts an agent's socket. Only upgrades come this way, and the worker has authenticated the caller. */
  override async fetch(request: Request): Promise<Response> {
    const identity = request.headers.get(IDENTITY_HEADER);
    return identity ? this.#sockets.accept(decodeIdentity(identity)).response : new Response(null, { status: 404 });
  }

  hint(sessionId: string): void {
    this.#sockets.broadcast({ type: "hint", session_id: sessionId } satisfies Hint, null);
  }

  /** Counts the agents with an open console. */
  agents(): number {
    return this.#sockets.presence(null).agents;
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    socket.close(replyCloseCode(code), reason);
  }

  // Consoles only listen.
  override webSocketMessage(): void {}
}
