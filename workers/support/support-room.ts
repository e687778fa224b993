import { DurableObject } from "cloudflare:workers";
import { log } from "#app/http/log.ts";
import type { UnreadReplies } from "#app/support/email/unread-reply-email.ts";
import type { RoomAction } from "#app/support/protocol/agent-actions.ts";
import { CLOSE, replyCloseCode } from "#app/support/protocol/close-codes.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import {
  type Ack,
  FRAME_MAX_CHARS,
  type History,
  PING,
  PONG,
  parseUp,
  type SupportFile,
  type SupportSession,
  type UpFrame,
} from "#app/support/protocol/frames.ts";
import { decodeIdentity, IDENTITY_HEADER, type Identity } from "#app/support/protocol/identity.ts";
import { isRating, type Rating, ratingClientId, ratingText } from "#app/support/protocol/rating.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { fileKey } from "#app/support/room/room-files.server.ts";
import { RateLimits } from "#app/support/room/room-rate-limit.ts";
import {
  ackOf,
  type Handover,
  publicSession,
  RoomStore,
  type StartDetails,
} from "#app/support/room/room-store.server.ts";
import { awayText, type SupportSettings } from "#app/support/team/business-hours.ts";
import { RoomConsole } from "./room-console.ts";
import { RoomOutbox } from "./room-outbox.ts";
import { RoomSockets } from "./room-sockets.ts";

/** Of each side. Lines that died are among them until the platform notices. */
const SOCKETS_MAX = 200;
const R2_DELETE_AT_ONCE = 1000;
/** The rest of a long history follows the `ready` frame one message at a time. */
const READY_MESSAGES = 200;

export type MessageInput = { clientId: string; body: string; file?: SupportFile };
export type SendResult = { ok: true; ack: Ack } | { ok: false; reason: "gone" | "rate_limited" | "blocked" };

const BLOCKED_TEXT = "You cannot write in this conversation any more.";

/** One support conversation: its messages, its sockets, and the way of both into D1. */
export class SupportRoom extends DurableObject<Env> {
  readonly #store: RoomStore;
  readonly #sockets: RoomSockets;
  readonly #console: RoomConsole;
  readonly #outbox: RoomOutbox;
  readonly #limits = new RateLimits();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new RoomStore(ctx.storage.sql);
    this.#sockets = new RoomSockets(ctx);
    this.#console = new RoomConsole(this.#store, this.#sockets);
    this.#outbox = new RoomOutbox(ctx, env, this.#store, (settings, now) => this.#sendAwayMessage(settings, now));
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
  }

  /** Only upgrades come this way; the worker has checked who is calling. */
  override async fetch(request: Request): Promise<Response> {
    const header = request.headers.get(IDENTITY_HEADER);
    const history = this.#store.history(Number(new URL(request.url).searchParams.get("since")));
    if (header === null || !history) return new Response(null, { status: 404 });
    const identity = decodeIdentity(header);
    if (this.ctx.getWebSockets(identity.side).length >= SOCKETS_MAX) return new Response(null, { status: 429 });
    const { socket, response } = this.#sockets.accept(identity);
    this.#welcomeBack(socket, history);
    this.#console.welcome(socket);
    this.#broadcastPresence(null);
    return response;
  }

  /** Creates the session or reuses it. Null when it has gone over to an account. */
  open(opening: StartDetails): SupportSession | null {
    if (this.#store.handedTo !== null) return null;
    this.#store.open(opening, Date.now());
    return this.#sessionChanged();
  }

  read(since: number): History | null {
    return this.#store.history(since);
  }

  session(): SupportSession | null {
    return this.#store.session && publicSession(this.#store.session);
  }

  /** The same as a `send` frame, over HTTP. */
  sendMessage(from: Identity, said: MessageInput): SendResult {
    if (!this.#store.session) return { ok: false, reason: "gone" };
    if (this.#limits.take(from.author) !== "ok") return { ok: false, reason: "rate_limited" };
    if (this.#isRefused(from)) return { ok: false, reason: "blocked" };
    return { ok: true, ack: this.#append(from, said, null) };
  }

  file(id: string): SupportFile | null {
    return this.#store.session && this.#store.messages.file(id);
  }

  /** What the visitor thought of a closed conversation: once for each time it is closed. False: not now. */
  rate(rating: Rating): boolean {
    const session = this.#store.session;
    const last = this.#store.messages.after(this.#store.messages.lastSeq - 1)[0];
    if (session?.status !== "closed" || !last || isRating(last)) return false;
    const said = this.#store.addBotMessage(ratingClientId(last.seq), ratingText(session.user_name, rating), Date.now());
    if (said) {
      this.#store.triage.rated(rating, said.created_at);
      this.#sockets.broadcast({ type: "message", message: said }, null);
    }
    this.#outbox.storeSoon();
    return said !== null;
  }

  /** The same as a `read` frame, over HTTP. */
  markRead({ side }: Identity, seq: number): void {
    if (!this.#store.markRead(side, seq)) return;
    this.#sockets.broadcast({ type: "read", side, seq: this.#store.readSeq[side] }, null);
    this.#outbox.storeSoon();
  }

  setStatus(status: SupportSession["status"], by: Agent | null = null): void {
    if (this.#store.setStatus(status, by, Date.now())) this.#sessionChanged();
  }

  /**
   * What one of the team does. Everybody who looks at it knows at once; D1, and with it the lists and the audit log, by
   * the time this answers, unless D1 is away. False: there is no such conversation.
   */
  async applyAction(by: Agent, action: RoomAction): Promise<boolean> {
    if (!this.#store.session) return false;
    if (action.action === "status") this.setStatus(action.status, by);
    else this.#console.handle(by, action);
    // Nothing more is to be expected from who may not write.
    if (action.action === "block" && action.blocked) this.setStatus("closed", by);
    // Should we be cut off before it is stored.
    this.#outbox.storeSoon();
    await this.#outbox.storeNow();
    return true;
  }

  /** What to mail a visitor who has left before reading the answers. */
  claimUnreadReplies(): UnreadReplies | null {
    return this.isVisitorHere() ? null : this.#store.claimUnreadReplies(Date.now());
  }

  isVisitorHere(): boolean {
    return this.#sockets.presence(null).user;
  }

  async mailed(upTo: number): Promise<void> {
    this.#store.triage.mailed(upTo);
    await this.#outbox.storeNow();
  }

  #sendAwayMessage(settings: SupportSettings, now: number): void {
    const text = awayText(settings, now);
    if (text === null || !this.#store.session || this.#sockets.presence(null).agents > 0) return;
    const said = this.#store.addBotMessage(text.clientId, text.message, now);
    if (said) this.#sockets.broadcast({ type: "message", message: said }, null);
  }

  /**
   * Takes over what the account's owner said before signing in. May be repeated: what was cut off in the middle is
   * finished, and what is here already is not taken twice.
   */
  async adopt(userId: string, anonymousId: string): Promise<void> {
    const from = this.env.SUPPORT_ROOM.getByName(anonymousId);
    const sessionId = userSessionId(userId);
    const handed = await from.handOver(sessionId);
    if (!handed) return;
    const adopted = this.#store.adopt({ sessionId, userId }, handed);
    this.#sessionChanged();
    this.#console.broadcastTriage();
    for (const message of adopted) this.#sockets.broadcast({ type: "message", message }, null);
    // Only what is on disk here may be forgotten there.
    await this.ctx.storage.sync();
    await from.forget(anonymousId, sessionId);
  }

  /** From here on nothing is said in this room any more. Null: there is nothing, or it went to another account. */
  handOver(to: string): Handover | null {
    return this.#store.handOver(to);
  }

  /** Forgets the conversation, here and in D1, and its files. */
  async erase(sessionId: string): Promise<void> {
    const files = this.#store.messages.fileIds().map(fileKey);
    while (files.length > 0) await this.env.UPLOADS.delete(files.splice(0, R2_DELETE_AT_ONCE));
    await this.forget(sessionId, null);
  }

  /** The same, but the files stay: they belong to the session that it went over to. */
  async forget(sessionId: string, movedTo: string | null): Promise<void> {
    if (movedTo === null) this.#sockets.closeAll(CLOSE.gone, "erased");
    else this.#sockets.closeAll(CLOSE.moved, movedTo);
    await this.ctx.blockConcurrencyWhile(async () => {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
      this.#store.create();
    });
    await this.#outbox.forget(sessionId);
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void {
    const allowed = this.#limits.take(socket);
    if (allowed === "close") socket.close(CLOSE.tooMany, "too many frames");
    else if (typeof frame !== "string") socket.close(CLOSE.binary, "text frames only");
    else if (frame.length > FRAME_MAX_CHARS) socket.close(CLOSE.tooLarge, "frame too large");
    else if (this.#store.session) this.#receive(socket, parseUp(frame), allowed === "ok");
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    this.#limits.forget(socket);
    socket.close(replyCloseCode(code), reason);
    this.#broadcastPresence(socket);
  }

  override webSocketError(socket: WebSocket, error: unknown): void {
    this.#limits.forget(socket);
    log("warn", "support socket failed", { error: String(error) });
    this.#broadcastPresence(socket);
  }

  override alarm(): Promise<void> {
    return this.#outbox.onAlarm();
  }

  #receive(socket: WebSocket, frame: UpFrame | null, allowed: boolean): void {
    if (!allowed) {
      const clientId = frame?.type === "send" ? { clientId: frame.clientId } : {};
      this.#sockets.send(socket, { type: "error", code: "rate_limited", message: "Too many messages.", ...clientId });
      return;
    }
    if (!frame) {
      this.#sockets.send(socket, { type: "error", code: "bad_frame", message: "Not a known frame." });
      return;
    }
    const from = this.#sockets.identityOf(socket);
    switch (frame.type) {
      case "send":
        if (this.#isRefused(from)) {
          const { clientId } = frame;
          this.#sockets.send(socket, { type: "error", code: "blocked", message: BLOCKED_TEXT, clientId });
        } else this.#append(from, frame, socket);
        return;
      case "read":
        this.markRead(from, frame.seq);
        return;
      case "typing":
        this.#broadcastTyping(from, socket);
        return;
      case "page":
        this.#console.visited(socket, frame);
        return;
      default:
        frame satisfies never;
    }
  }

  /** Stores, acknowledges and broadcasts without an await: the output gate holds the frames until the row is on disk. */
  #append(from: Identity, said: MessageInput, socket: WebSocket | null): Ack {
    const { message, repeated } = this.#store.append(from, said, Date.now());
    const ack = ackOf(message);
    if (socket) this.#sockets.send(socket, { type: "ack", ...ack });
    if (repeated) return ack;
    this.#sockets.broadcast({ type: "message", message }, socket);
    if (this.#store.setStatus("open", null, message.created_at)) this.#sessionChanged();
    if (from.side === "admin") this.#console.broadcastTriage();
    this.#outbox.storeSoon();
    return ack;
  }

  #welcomeBack(socket: WebSocket, history: History): void {
    const rest = history.messages.splice(READY_MESSAGES);
    this.#sockets.send(socket, { type: "ready", ...history });
    for (const message of rest) this.#sockets.send(socket, { type: "message", message });
  }

  #sessionChanged(): SupportSession | null {
    const session = this.session();
    if (session) this.#sockets.broadcast({ type: "session", session }, null);
    this.#outbox.storeSoon();
    return session;
  }

  #isRefused(from: Identity): boolean {
    return from.side === "user" && this.#store.triage.blocked;
  }

  #broadcastPresence(leaving: WebSocket | null): void {
    this.#sockets.broadcastPresence(leaving);
    this.#console.broadcastPresence(leaving);
  }

  #broadcastTyping(from: Identity, socket: WebSocket): void {
    if (from.side === "user" && this.#isRefused(from)) return;
    this.#sockets.broadcast({ type: "typing", side: from.side, name: this.#nameOf(from) }, socket);
    if (from.side === "admin") this.#console.broadcastTyping({ id: from.author, name: from.name });
  }

  #nameOf(from: Identity): string {
    return from.side === "user" ? (this.#store.session?.user_name ?? from.name) : from.name;
  }
}
