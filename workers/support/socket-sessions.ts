import { admitSockets, readSessionRole } from "#app/accounts/session/session-sockets.server.ts";
import { connect } from "#app/db/db.server.ts";
import type { Role } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import type { RoomSockets } from "./room-sockets.ts";

/** A check counts for this long. */
const CHECK_EVERY_MS = 30_000;
/** An agent's frame waits this long for a check. */
const CHECK_WITHIN_MS = 2000;

/** Checks in D1 that the signed-in sessions of sockets still run: docs/decisions/support/0041-sockets-end-with-their-session.md. */
export class SocketSessions {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #sockets: RoomSockets;
  // In memory only: after an eviction the next frame is checked.
  readonly #checks = new WeakMap<WebSocket, { startedAt: number; running: Promise<void> | null }>();

  constructor(ctx: DurableObjectState, env: Env, sockets: RoomSockets) {
    this.#ctx = ctx;
    this.#env = env;
    this.#sockets = sockets;
  }

  /**
   * Records in D1 that the session has a socket, and closes the socket if the session ended while it was opened.
   * `register` makes the socket known to the desk. It goes first: whoever ends the session after the record must find it.
   */
  async admit(socket: WebSocket, register?: () => Promise<void>): Promise<void> {
    const { authSession } = this.#sockets.identityOf(socket);
    if (!authSession) return;
    try {
      await register?.();
      this.#closeUnlessAllowed(socket, await admitSockets(connect(this.#env.DB), authSession.id));
    } catch (error) {
      logError("admitting a support socket failed", error);
      // Its browser connects again.
      socket.close(1011, "try again");
    }
  }

  /**
   * Starts a check if the last one is old. Returns what a frame of this socket must wait for: an agent's waits for the
   * check, a visitor's for nothing, so that D1 never delays a visitor.
   */
  check(socket: WebSocket): Promise<void> | null {
    const { authSession, side, connectedAt } = this.#sockets.attachmentOf(socket);
    if (!authSession) return null;
    let last = this.#checks.get(socket) ?? { startedAt: connectedAt, running: null };
    const now = Date.now();
    if (now - last.startedAt >= CHECK_EVERY_MS) {
      const started = { startedAt: now, running: this.#read(socket, authSession.id) };
      started.running.finally(() => {
        last.running = null;
      });
      last = started;
      this.#checks.set(socket, started);
      this.#ctx.waitUntil(started.running);
    }
    return side === "admin" ? last.running : null;
  }

  /** Without an answer in time, the socket stays: a session can't be ended either while D1 is away. */
  async #read(socket: WebSocket, sessionId: string): Promise<void> {
    try {
      const reading = readSessionRole(connect(this.#env.DB), sessionId).then((role) => {
        this.#closeUnlessAllowed(socket, role);
      });
      await within(CHECK_WITHIN_MS, reading);
    } catch (error) {
      logError("checking the session of a support socket failed", error);
    }
  }

  #closeUnlessAllowed(socket: WebSocket, role: Role | null): void {
    const isStaff = role === "agent" || role === "admin";
    const isAllowed = this.#sockets.identityOf(socket).side === "admin" ? isStaff : role !== null;
    if (!isAllowed) this.#sockets.signOut(socket);
  }
}
