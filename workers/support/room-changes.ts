import { isBlank } from "#app/http/clean-text.ts";
import type { ReplyAction } from "#app/support/protocol/agent-actions.server.ts";
import { type Agent, UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import type { Ack, SupportSession } from "#app/support/protocol/frames.ts";
import type { Identity } from "#app/support/protocol/identity.ts";
import { isRating, type Rating, ratingClientId, ratingText } from "#app/support/protocol/rating.ts";
import { ackOf, type MessageInput, type RoomStore } from "#app/support/room/room-store.server.ts";
import type { RoomConsole } from "./room-console.ts";
import type { RoomOutbox } from "./room-outbox.ts";
import type { RoomSockets } from "./sockets/room-sockets.ts";

/** The changes to a conversation: each is stored, broadcast and scheduled for D1, with no await in between. */
export class RoomChanges {
  readonly #store: RoomStore;
  readonly #sockets: RoomSockets;
  readonly #console: RoomConsole;
  readonly #outbox: RoomOutbox;

  constructor(store: RoomStore, sockets: RoomSockets, console: RoomConsole, outbox: RoomOutbox) {
    this.#store = store;
    this.#sockets = sockets;
    this.#console = console;
    this.#outbox = outbox;
  }

  /** Stores, acks and broadcasts a message. The output gate holds the frames until the row is on disk. */
  append(from: Identity, input: MessageInput, socket: WebSocket | null): Ack {
    const { snoozedUntil } = this.#store.triage.state;
    const { message, repeated } = this.#store.append(from, input, Date.now());
    const ack = ackOf(message);
    if (socket) this.#sockets.send(socket, { type: "ack", ...ack });
    if (repeated) return ack;
    this.#sockets.broadcast({ type: "message", message }, socket);
    if (this.#store.setStatus("open", null, message.created_at)) this.publishSession();
    // An agent's reply may assign it, and a visitor's message ends a snooze.
    if (from.side === "admin" || snoozedUntil > 0) this.#console.broadcastTriage();
    this.#outbox.storeSoon();
    return ack;
  }

  /**
   * Does everything a saved reply does, or nothing: with no await in between, it is one write. Returns false if the
   * conversation would have too many tags. Changes nothing if this author has used the client id before.
   */
  reply(by: Agent, { clientId, body, note, mentions, tags, assignee, closes, snoozeUntil }: ReplyAction): boolean {
    const { triage } = this.#store;
    if (!triage.hasRoomForTags(tags)) return false;
    if (this.#store.messages.find(by.id, clientId) || !triage.claimReply(by, clientId)) return true;
    // Before the reply, which assigns an unassigned conversation to its author.
    if (assignee) triage.assign(assignee, by);
    for (const tag of tags) triage.setTag(tag, true, by);
    if (!isBlank(body)) this.append({ side: "admin", author: by.id, name: by.name }, { clientId, body }, null);
    if (note.trim() !== "") this.#console.addNote(by, { clientId, body: note, mentions });
    if (closes) this.setStatus("closed", by);
    else if (snoozeUntil > 0) this.#console.apply(by, { action: "snooze", until: snoozeUntil });
    this.#console.broadcastTriage();
    return true;
  }

  markRead({ side }: Identity, seq: number): void {
    if (!this.#store.markRead(side, seq)) return;
    this.#sockets.broadcast({ type: "read", side, seq: this.#store.readSeq[side] }, null);
    this.#outbox.storeSoon();
  }

  /** Stores the visitor's rating once per closing. Returns false if the conversation is open or rated. */
  rate(rating: Rating): boolean {
    const session = this.#store.session;
    const last = this.#store.messages.after(this.#store.messages.lastSeq - 1)[0];
    if (session?.status !== "closed" || !last || isRating(last)) return false;
    const text = ratingText(session.user_name, rating);
    const message = this.#store.addBotMessage(ratingClientId(last.seq), text, Date.now());
    if (message) {
      this.#store.triage.recordRating(rating, message.created_at);
      this.#sockets.broadcast({ type: "message", message }, null);
    }
    this.#outbox.storeSoon();
    return message !== null;
  }

  setStatus(status: SupportSession["status"], by: Agent | null): void {
    if (!this.#store.setStatus(status, by, Date.now())) return;
    this.publishSession();
    this.#console.broadcastTriage();
    this.#console.broadcastVisitor();
  }

  /** Broadcasts the session and schedules it for D1. Returns null without a session. */
  publishSession(): SupportSession | null {
    const session = this.#store.publicSession;
    if (session) this.#sockets.broadcast({ type: "session", session }, null);
    this.#outbox.storeSoon();
    return session;
  }

  /** Puts the conversation on top of its list if its snooze has ended, and has an alarm ring when it will. */
  watchSnooze(): void {
    const now = Date.now();
    if (this.#store.wakeIfDue(now)) this.publishSession();
    const { snoozedUntil } = this.#store.triage.state;
    if (this.#store.session && snoozedUntil > now && snoozedUntil < UNTIL_ANSWER_MS) this.#outbox.wakeAt(snoozedUntil);
  }

  broadcastTyping(from: Identity, socket: WebSocket): void {
    if (this.refuses(from)) return;
    const name = from.side === "user" ? (this.#store.session?.user_name ?? from.name) : from.name;
    this.#sockets.broadcast({ type: "typing", side: from.side, name }, socket);
    if (from.side === "admin") this.#console.broadcastTyping({ id: from.author, name: from.name });
  }

  /** Returns whether messages of this sender are refused because the visitor is blocked. */
  refuses(from: Identity): boolean {
    return from.side === "user" && this.#store.triage.isBlocked;
  }
}
