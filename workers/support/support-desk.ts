import { DurableObject } from "cloudflare:workers";
import { connectSupport } from "#app/db/db.server.ts";
import { logError } from "#app/http/log.ts";
import { readInboxChanges } from "#app/support/inbox/inbox.server.ts";
import type { InboxChange } from "#app/support/inbox/inbox-change.ts";
import { replyCloseCode } from "#app/support/protocol/close-codes.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import { PING, PONG } from "#app/support/protocol/frames.ts";
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
  /** The conversations that are read once `#lastHints` is done. */
  #nextHints: { ids: Set<string>; sent: Promise<void> } | null = null;
  #lastHints: Promise<void> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sockets = new RoomSockets(ctx);
    this.#sessions = new SocketSessions(ctx, env, this.#sockets);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS agent_rooms (user_id TEXT, room TEXT, PRIMARY KEY (user_id, room)) WITHOUT ROWID",
    );
    ctx.storage.sql.exec(
      `CREATE TABLE IF NOT EXISTS agent_turns (
         user_id TEXT PRIMARY KEY, turn INTEGER NOT NULL DEFAULT 0, is_away INTEGER NOT NULL DEFAULT 0
       ) STRICT, WITHOUT ROWID`,
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

  /**
   * Tells the consoles what a conversation is now, so that they don't all ask. One read at a time, of all conversations that
   * changed meanwhile: an older one can't be told after a newer one.
   */
  hint(sessionId: string): Promise<void> {
    if (this.#nextHints === null) {
      const ids = new Set<string>();
      const sent = this.#lastHints.then(() => {
        this.#nextHints = null;
        return this.#sendHints([...ids]);
      });
      this.#nextHints = { ids, sent };
      this.#lastHints = sent.catch(() => {});
    }
    this.#nextHints.ids.add(sessionId);
    return this.#nextHints.sent;
  }

  async #sendHints(ids: string[]): Promise<void> {
    const changes = this.#sockets.signedIn().length > 0 ? await this.#readChanges(ids) : null;
    // A console whose session ended unnoticed does not get it.
    await this.#sessions.checkDue();
    for (const id of ids) {
      const change = changes?.get(id);
      this.#sockets.broadcast({ type: "hint", session_id: id, ...(change && { change }) }, null);
    }
  }

  /** Returns null if the database doesn't answer: then each console asks. */
  async #readChanges(ids: string[]): Promise<Map<string, InboxChange> | null> {
    try {
      return await readInboxChanges(connectSupport(this.env.DB_SUPPORT), ids);
    } catch (error) {
      logError("reading changed conversations failed", error);
      return null;
    }
  }

  /**
   * Returns the agent who is next among those with an open console who take new conversations, and puts them last. Null:
   * nobody is there. Rooms that ask at the same time get different agents: nothing else runs between reading and writing.
   */
  async takeTurn(): Promise<Agent | null> {
    await this.#sessions.checkDue();
    const present = JSON.stringify(this.#sockets.agents(null));
    const [next] = this.ctx.storage.sql
      .exec<Agent>(
        `SELECT agent.value ->> 'id' AS id, agent.value ->> 'name' AS name
         FROM json_each(?) AS agent LEFT JOIN agent_turns ON user_id = agent.value ->> 'id'
         WHERE coalesce(is_away, 0) = 0 ORDER BY coalesce(turn, 0), 1 LIMIT 1`,
        present,
      )
      .toArray();
    if (!next) return null;
    this.ctx.storage.sql.exec(
      `INSERT INTO agent_turns (user_id, turn) SELECT ?, coalesce(max(turn), 0) + 1 FROM agent_turns WHERE true
       ON CONFLICT (user_id) DO UPDATE SET turn = excluded.turn`,
      next.id,
    );
    return next;
  }

  /** Has an agent with an open console get no new conversations, or get them again. */
  setAway(userId: string, isAway: boolean): void {
    this.ctx.storage.sql.exec(
      "INSERT INTO agent_turns (user_id, is_away) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET is_away = excluded.is_away",
      userId,
      isAway ? 1 : 0,
    );
  }

  isAway(userId: string): boolean {
    const query = "SELECT user_id FROM agent_turns WHERE user_id = ? AND is_away = 1";
    return this.ctx.storage.sql.exec(query, userId).toArray().length > 0;
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
