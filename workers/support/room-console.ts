import type { RoomAction } from "#app/support/protocol/agent-actions.server.ts";
import type { Agent, ConsoleFrame, VisitedPage } from "#app/support/protocol/console-frames.ts";
import type { NoteInput } from "#app/support/room/room-notes.server.ts";
import type { RoomStore } from "#app/support/room/room-store.server.ts";
import { seenPage } from "#app/support/room/visitor/seen-page.ts";
import type { RoomSockets } from "./sockets/room-sockets.ts";

/** The part of a room that only the team sees. */
export class RoomConsole {
  readonly #store: RoomStore;
  readonly #sockets: RoomSockets;

  constructor(store: RoomStore, sockets: RoomSockets) {
    this.#store = store;
    this.#sockets = sockets;
  }

  /** Sends an agent's new socket the team's state, after `ready`. A visitor's socket gets none of it. */
  sendState(socket: WebSocket): void {
    if (this.#sockets.identityOf(socket).side !== "admin") return;
    this.#sockets.send(socket, { type: "triage", triage: this.#store.triage.state });
    this.#sockets.send(socket, { type: "notes", notes: this.#store.triage.notes() });
    this.#sockets.send(socket, { type: "page", page: this.#sockets.visitedPage(null) });
    this.#sockets.send(socket, { type: "visitor", visitor: this.#store.visitor.details() });
  }

  /** Tells the team who is viewing the conversation and which page the visitor is on. */
  broadcastPresence(leaving: WebSocket | null): void {
    this.#broadcast({ type: "agents", agents: this.#sockets.agents(leaving) }, leaving);
    this.#broadcast({ type: "page", page: this.#sockets.visitedPage(leaving) }, leaving);
  }

  broadcastTriage(): void {
    this.#broadcast({ type: "triage", triage: this.#store.triage.state });
  }

  broadcastTyping(agent: Agent): void {
    this.#broadcast({ type: "agent_typing", agent });
  }

  broadcastVisitor(): void {
    this.#broadcast({ type: "visitor", visitor: this.#store.visitor.details() });
  }

  /** Stores the visitor's current page in the socket's attachment, adds it to those seen, and tells the team. */
  setVisitedPage(socket: WebSocket, sent: VisitedPage): void {
    if (this.#sockets.identityOf(socket).side !== "user") return;
    const page = seenPage(sent);
    this.#sockets.setPage(socket, page);
    this.#broadcast({ type: "page", page });
    if (this.#store.addPage(page, Date.now())) this.broadcastVisitor();
  }

  /** Keeps the language of the visitor's browser. Null: it sent none. */
  setLanguage(language: string | null): void {
    if (language !== null && this.#store.session && this.#store.visitor.setLanguage(language)) this.broadcastVisitor();
  }

  /** Applies every action but `status` and `reply`, which concern the visitor too. */
  apply(by: Agent, action: Exclude<RoomAction, { action: "status" | "reply" }>): void {
    const { triage } = this.#store;
    switch (action.action) {
      case "assign":
        if (triage.assign(action.assignee, by)) this.broadcastTriage();
        return;
      case "tag":
        if (triage.setTag(action.tag, action.isOn, by)) this.broadcastTriage();
        return;
      case "snooze":
        // A closed one is in no list of open ones.
        if (this.#store.session?.status === "open" && triage.snooze(action.until, by, Date.now())) {
          this.broadcastTriage();
        }
        return;
      case "block":
        if (triage.setBlocked(action.blocked, by)) this.broadcastTriage();
        return;
      case "note":
        this.addNote(by, action);
        return;
      default:
        action satisfies never;
    }
  }

  addNote(by: Agent, input: NoteInput): void {
    const note = this.#store.triage.addNote(by, input, Date.now());
    if (note) this.#broadcast({ type: "note", note });
  }

  #broadcast(frame: ConsoleFrame, except: WebSocket | null = null): void {
    this.#sockets.broadcastToTeam(frame, except);
  }
}
