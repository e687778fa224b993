import { DurableObject } from "cloudflare:workers";
import { replyCloseCode } from "#app/support/protocol/close-codes.ts";
import { type Hint, PING, PONG } from "#app/support/protocol/frames.ts";
import { decodeIdentity, IDENTITY_HEADER } from "#app/support/protocol/identity.ts";
import { RoomSockets } from "./sockets/room-sockets.ts";
import { SocketSessions } from "./sockets/socket-sessions.ts";

/**
 * Tells every open console that a conversation has changed in D1. Stores which rooms each agent has sockets in, so that
 * these close when the agent's session ends.
 */
export class SupportDesk extends DurableObject<Env> {
  readonly #sockets: RoomSockets;
  readonly #sessions: SocketSessions;
  /** Counts the reports of rooms. */
  #reports = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sockets = new RoomSockets(ctx);
    this.#sessions = new SocketSessions(ctx, env, this.#sockets);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS agent_rooms (user_id TEXT, room TEXT, PRIMARY KEY (user_id, room)) WITHOUT ROWID",
    );
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Accepts an agent's socket. Only upgrades come this way, and the worker has authenticated the caller. */
  override async fetch(request: Request): Promise<Response> {
    const identity = request.headers.get(IDENTITY_HEADER);
    if (!identity) return new Response(null, { status: 404 });
    const { socket, response } = this.#sockets.accept(decodeIdentity(identity));
    this.ctx.waitUntil(this.#sessions.admit(socket));
    return response;
  }

  setAgentRoom(userId: string, room: string, isThere: boolean): void {
    this.#reports += 1;
    if (isThere) this.ctx.storage.sql.exec("INSERT OR IGNORE INTO agent_rooms VALUES (?, ?)", userId, room);
    else this.#removeAgentRoom(userId, room);
  }

  #removeAgentRoom(userId: string, room: string): void {
    this.ctx.storage.sql.exec("DELETE FROM agent_rooms WHERE user_id = ? AND room = ?", userId, room);
  }

  /** Closes the sockets of these sessions of an agent, of all for null, here and in the rooms that the agent views. */
  async closeSessions(userId: string, sessionIds: string[] | null): Promise<void> {
    this.#sockets.signOutSessions(userId, sessionIds);
    const rooms = this.ctx.storage.sql
      .exec<{ room: string }>("SELECT room FROM agent_rooms WHERE user_id = ?", userId)
      .toArray();
    await Promise.all(
      rooms.map(async ({ room }) => {
        const before = this.#reports;
        const isThere = await this.env.SUPPORT_ROOM.getByName(room).closeSessions(userId, sessionIds);
        // A report that was lost with its room. Kept if there were others meanwhile: the agent may have come back.
        if (!isThere && this.#reports === before) this.#removeAgentRoom(userId, room);
      }),
    );
  }

  async hint(sessionId: string): Promise<void> {
    // A console whose session ended unnoticed does not get it.
    await this.#sessions.checkDue();
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
