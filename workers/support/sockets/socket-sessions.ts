import { admitSockets, readSessionRoles } from "#app/accounts/session/session-sockets.server.ts";
import { connect } from "#app/db/db.server.ts";
import type { Role } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";
import { within } from "#app/http/within.ts";
import type { RoomSockets } from "./room-sockets.ts";

/** A check counts for this long. */
const CHECK_EVERY_MS = 30_000;
/** An agent's frame waits this long for a check. */
const CHECK_WITHIN_MS = 2000;

type Check = { startedAt: number; running: Promise<void> | null };

/** Checks in D1 that the signed-in sessions of sockets still run: docs/decisions/support/0041-sockets-end-with-their-session.md. */
export class SocketSessions {
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #sockets: RoomSockets;
  // In memory only: after an eviction the next frame is checked.
  readonly #checks = new WeakMap<WebSocket, Check>();

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
   * Starts the checks that are due. Returns what a frame of this socket must wait for: an agent's waits for its check, a
   * visitor's for nothing, so that D1 never delays a visitor.
   */
  check(socket: WebSocket): Promise<void> | null {
    this.checkDue();
    return this.#sockets.identityOf(socket).side === "admin" ? (this.#checks.get(socket)?.running ?? null) : null;
  }

  /**
   * Starts one check of all sockets whose last check is old, those that only listen too: pings don't wake an object, so
   * whatever makes it send something has to. Returns when the running checks have ended; null: there are none.
   */
  checkDue(): Promise<void> | null {
    const now = Date.now();
    const signedIn = this.#sockets.signedIn();
    const due = signedIn.filter((socket) => now - this.#checkedAt(socket) >= CHECK_EVERY_MS);
    if (due.length > 0) {
      const started: Check = { startedAt: now, running: this.#read(due) };
      void started.running?.finally(() => {
        started.running = null;
      });
      for (const socket of due) this.#checks.set(socket, started);
      if (started.running) this.#ctx.waitUntil(started.running);
    }
    const running = new Set(signedIn.flatMap((socket) => this.#checks.get(socket)?.running ?? []));
    return running.size > 0 ? Promise.all(running).then(() => {}) : null;
  }

  #checkedAt(socket: WebSocket): number {
    return this.#checks.get(socket)?.startedAt ?? this.#sockets.attachmentOf(socket).connectedAt;
  }

  /** Without an answer in time, the sockets stay: a session can't be ended either while D1 is away. */
  async #read(sockets: WebSocket[]): Promise<void> {
    try {
      const sessionOf = (socket: WebSocket) => this.#sockets.identityOf(socket).authSession?.id ?? "";
      const reading = readSessionRoles(connect(this.#env.DB), sockets.map(sessionOf)).then((roles) => {
        for (const socket of sockets) this.#closeUnlessAllowed(socket, roles.get(sessionOf(socket)) ?? null);
      });
      await within(CHECK_WITHIN_MS, reading);
    } catch (error) {
      logError("checking the sessions of support sockets failed", error);
    }
  }

  #closeUnlessAllowed(socket: WebSocket, role: Role | null): void {
    const isStaff = role === "agent" || role === "admin";
    const isAllowed = this.#sockets.identityOf(socket).side === "admin" ? isStaff : role !== null;
    if (!isAllowed) this.#sockets.signOut(socket);
  }
}
