import type { RoomAction } from "#app/support/protocol/agent-actions.ts";
import type { Agent, ConsoleFrame, VisitedPage } from "#app/support/protocol/console-frames.ts";
import type { RoomStore } from "#app/support/room/room-store.server.ts";
import type { RoomSockets } from "./room-sockets.ts";

/** The side of a room that only the team sees. */
export class RoomConsole {
  readonly #store: RoomStore;
  readonly #sockets: RoomSockets;

  constructor(store: RoomStore, sockets: RoomSockets) {
    this.#store = store;
    this.#sockets = sockets;
  }

  /** After `ready`: what a visitor's socket never gets. */
  welcome(socket: WebSocket): void {
    if (this.#sockets.identityOf(socket).side !== "admin") return;
    this.#sockets.send(socket, { type: "triage", triage: this.#store.triage.state });
    this.#sockets.send(socket, { type: "notes", notes: this.#store.triage.notes() });
    this.#sockets.send(socket, { type: "page", page: this.#sockets.visitedPage(null) });
  }

  /** Who looks at the conversation, and where the visitor is. */
  broadcastPresence(leaving: WebSocket | null): void {
    this.#tell({ type: "agents", agents: this.#sockets.agents(leaving) }, leaving);
    this.#tell({ type: "page", page: this.#sockets.visitedPage(leaving) }, leaving);
  }

  broadcastTriage(): void {
    this.#tell({ type: "triage", triage: this.#store.triage.state });
  }

  broadcastTyping(agent: Agent): void {
    this.#tell({ type: "agent_typing", agent });
  }

  /** The visitor went to another page. Kept with the socket alone. */
  visited(socket: WebSocket, page: VisitedPage): void {
    if (this.#sockets.identityOf(socket).side !== "user") return;
    this.#sockets.setPage(socket, page);
    this.#tell({ type: "page", page });
  }

  /** `status` is the room's own, because it concerns both sides. */
  handle(by: Agent, action: Exclude<RoomAction, { action: "status" }>): void {
    const { triage } = this.#store;
    switch (action.action) {
      case "assign":
        if (triage.assign(action.assignee, by)) this.broadcastTriage();
        return;
      case "tag":
        if (triage.setTag(action.tag, action.isOn, by)) this.broadcastTriage();
        return;
      case "block":
        if (triage.setBlocked(action.blocked, by)) this.broadcastTriage();
        return;
      case "note": {
        const note = triage.addNote(by, action, Date.now());
        if (note) this.#tell({ type: "note", note });
        return;
      }
      default:
        action satisfies never;
    }
  }

  #tell(frame: ConsoleFrame, except: WebSocket | null = null): void {
    this.#sockets.broadcastToTeam(frame, except);
  }
}
