import { DurableObject } from "cloudflare:workers";
import { type Hint, PING, PONG } from "#app/support/protocol.ts";

/** Tells every open console that a conversation has changed in D1. It keeps nothing. */
export class SupportDesk extends DurableObject<Env> {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Only upgrades of agents come this way. */
  override async fetch(): Promise<Response> {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  hint(sessionId: string): void {
    const text = JSON.stringify({ type: "hint", session_id: sessionId } satisfies Hint);
    for (const socket of this.ctx.getWebSockets()) {
      try {
        socket.send(text);
      } catch {
        socket.close(1011, "not reachable");
      }
    }
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    socket.close(code === 1005 || code === 1006 || code === 1015 ? 1000 : code, reason);
  }

  // Consoles only listen.
  override webSocketMessage(): void {}
}
