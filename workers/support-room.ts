import { DurableObject } from "cloudflare:workers";
import { connect } from "#app/db/db.server.ts";
import { log, logError } from "#app/http/log.ts";
import { storeDelay } from "#app/support/back-off.ts";
import { deleteConversation, STORE_BATCH, storeConversation } from "#app/support/conversations.server.ts";
import { DESK_NAME, decodeIdentity, IDENTITY_HEADER, type Identity } from "#app/support/identity.ts";
import { presenceOf } from "#app/support/presence.ts";
import {
  type Ack,
  CLOSE,
  type DownFrame,
  FRAME_MAX_CHARS,
  type History,
  PING,
  PONG,
  parseUp,
  type SupportSession,
  type UpFrame,
} from "#app/support/protocol.ts";
import { type Bucket, freshBucket, take } from "#app/support/rate-limit.ts";
import { ackOf, type Opening, publicSession, type RoomSession, RoomStore } from "#app/support/room-store.server.ts";

/** The first of several messages waits so long for the others on its way to D1. */
const STORE_AFTER_MS = 150;
/** The rest of a long history follows the `ready` frame one message at a time. */
const READY_MESSAGES = 200;

type Attachment = Identity & { connectedAt: number };
export type Said = { ok: true; ack: Ack } | { ok: false; reason: "gone" | "rate_limited" };

/** One support conversation: its messages, its sockets, and the way of both into D1. */
export class SupportRoom extends DurableObject<Env> {
  readonly #store: RoomStore;
  readonly #buckets = new Map<WebSocket | string, Bucket>();
  #alarmSet = false;
  #storing: Promise<void> = Promise.resolve();
  #failures = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#store = new RoomStore(ctx.storage.sql);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    // The alarm of a room that was cut off in the middle of storing may be spent.
    if (this.#store.hasUnstored()) this.#storeSoon(STORE_AFTER_MS);
  }

  /** Only upgrades come this way; the worker has checked who is calling. */
  override async fetch(request: Request): Promise<Response> {
    const header = request.headers.get(IDENTITY_HEADER);
    const session = this.#store.session;
    if (header === null || !session) return new Response(null, { status: 404 });
    const identity = decodeIdentity(header);
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, [identity.side]);
    server.serializeAttachment({ ...identity, connectedAt: Date.now() } satisfies Attachment);
    this.#welcomeBack(server, session, Number(new URL(request.url).searchParams.get("since")));
    this.#broadcastPresence(null);
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Creates the session or reuses it. */
  open(opening: Opening): SupportSession {
    const session = publicSession(this.#store.open(opening, Date.now()));
    this.#storeSoon(STORE_AFTER_MS);
    this.#broadcast({ type: "session", session }, null);
    return session;
  }

  read(since: number): History | null {
    const session = this.#store.session;
    return session && this.#history(session, since);
  }

  /** The same as a `send` frame, over HTTP. */
  say(from: Identity, clientId: string, body: string): Said {
    if (!this.#store.session) return { ok: false, reason: "gone" };
    if (this.#take(from.author) !== "ok") return { ok: false, reason: "rate_limited" };
    return { ok: true, ack: this.#append(from, clientId, body, null) };
  }

  setStatus(status: SupportSession["status"]): void {
    if (this.#store.setStatus(status, Date.now())) this.#sessionChanged();
  }

  /** Forgets the conversation, here and in D1. */
  async erase(sessionId: string): Promise<void> {
    for (const socket of this.ctx.getWebSockets()) socket.close(CLOSE.gone, "erased");
    await this.ctx.blockConcurrencyWhile(async () => {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
      this.#store.create();
    });
    // A batch on its way to D1 would bring the rows back.
    await this.#storing;
    await deleteConversation(connect(this.env.DB), sessionId);
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void {
    const allowed = this.#take(socket);
    if (allowed === "close") socket.close(CLOSE.tooMany, "too many frames");
    else if (typeof frame !== "string") socket.close(CLOSE.binary, "text frames only");
    else if (frame.length > FRAME_MAX_CHARS) socket.close(CLOSE.tooLarge, "frame too large");
    else this.#receive(socket, parseUp(frame), allowed === "ok");
  }

  override webSocketClose(socket: WebSocket, code: number, reason: string): void {
    this.#buckets.delete(socket);
    // 1005, 1006 and 1015 say that no close frame arrived; sending them throws.
    socket.close(code === 1005 || code === 1006 || code === 1015 ? 1000 : code, reason);
    this.#broadcastPresence(socket);
  }

  override webSocketError(socket: WebSocket, error: unknown): void {
    this.#buckets.delete(socket);
    log("warn", "support socket failed", { error: String(error) });
    this.#broadcastPresence(socket);
  }

  override async alarm(): Promise<void> {
    this.#alarmSet = false;
    this.#storing = this.#storeAll();
    await this.#storing;
  }

  /** The outbox: everything D1 has not got, then a hint to the consoles. Kept and tried later when D1 is away. */
  async #storeAll(): Promise<void> {
    const db = connect(this.env.DB);
    try {
      for (let session = this.#store.session; session && this.#store.hasUnstored(); session = this.#store.session) {
        const messages = this.#store.unstored(STORE_BATCH);
        await storeConversation(db, session, messages);
        // Erased while D1 was busy.
        if (this.#store.session?.epoch !== session.epoch) return;
        this.#store.markStored(session.version, messages.at(-1)?.seq ?? session.stored_seq);
        await this.env.SUPPORT_DESK.getByName(DESK_NAME).hint(session.session_id);
      }
      this.#failures = 0;
    } catch (error) {
      const delay = storeDelay(this.#failures);
      this.#failures += 1;
      logError("support outbox waits", error, { session_id: this.#store.session?.session_id, retry_ms: delay });
      this.#storeSoon(delay);
    }
  }

  #receive(socket: WebSocket, frame: UpFrame | null, allowed: boolean): void {
    if (!allowed) {
      const clientId = frame?.type === "send" ? { clientId: frame.clientId } : {};
      this.#send(socket, { type: "error", code: "rate_limited", message: "Too many messages.", ...clientId });
      return;
    }
    if (!frame) {
      this.#send(socket, { type: "error", code: "bad_frame", message: "Not a known frame." });
      return;
    }
    const from = attachmentOf(socket);
    switch (frame.type) {
      case "send":
        this.#append(from, frame.clientId, frame.body, socket);
        return;
      case "read":
        if (!this.#store.markRead(from.side, frame.seq)) return;
        this.#broadcast({ type: "read", side: from.side, seq: this.#store.readSeq[from.side] }, null);
        this.#storeSoon(STORE_AFTER_MS);
        return;
      case "typing":
        this.#broadcast({ type: "typing", side: from.side, name: this.#nameOf(from) }, socket);
        return;
      default:
        frame satisfies never;
    }
  }

  /** Stores, acknowledges and broadcasts without an await: the output gate holds the frames until the row is on disk. */
  #append(from: Identity, clientId: string, body: string, socket: WebSocket | null): Ack {
    const { message, repeated } = this.#store.append(from, clientId, body, Date.now());
    const ack = ackOf(message);
    if (socket) this.#send(socket, { type: "ack", ...ack });
    if (repeated) return ack;
    this.#broadcast({ type: "message", message }, socket);
    if (this.#store.setStatus("open", message.created_at)) this.#sessionChanged();
    this.#storeSoon(STORE_AFTER_MS);
    return ack;
  }

  #welcomeBack(socket: WebSocket, session: RoomSession, since: number): void {
    const history = this.#history(session, since);
    const rest = history.messages.splice(READY_MESSAGES);
    this.#send(socket, { type: "ready", ...history });
    for (const message of rest) this.#send(socket, { type: "message", message });
  }

  #history(session: RoomSession, since: number): History {
    // A mark beyond the end belongs to a conversation that was erased.
    const from = since > 0 && since <= this.#store.lastSeq ? since : 0;
    return {
      epoch: session.epoch,
      session: publicSession(session),
      lastSeq: this.#store.lastSeq,
      readSeq: this.#store.readSeq,
      messages: this.#store.after(from),
    };
  }

  #sessionChanged(): void {
    const session = this.#store.session;
    if (session) this.#broadcast({ type: "session", session: publicSession(session) }, null);
    this.#storeSoon(STORE_AFTER_MS);
  }

  #broadcastPresence(leaving: WebSocket | null): void {
    const here = this.ctx.getWebSockets().filter((socket) => socket !== leaving);
    const connected = here.map((socket) => {
      const { side, author, connectedAt } = attachmentOf(socket);
      const pinged = this.ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
      return { side, author, seenAt: Math.max(connectedAt, pinged) };
    });
    this.#broadcast({ type: "presence", ...presenceOf(connected, Date.now()) }, leaving);
  }

  #broadcast(frame: DownFrame, except: WebSocket | null): void {
    const text = JSON.stringify(frame);
    for (const socket of this.ctx.getWebSockets()) if (socket !== except) sendText(socket, text);
  }

  #send(socket: WebSocket, frame: DownFrame): void {
    sendText(socket, JSON.stringify(frame));
  }

  #storeSoon(delayMs: number): void {
    if (this.#alarmSet) return;
    this.#alarmSet = true;
    this.ctx.waitUntil(this.ctx.storage.setAlarm(Date.now() + delayMs));
  }

  #take(who: WebSocket | string): ReturnType<typeof take> {
    const now = Date.now();
    const bucket = this.#buckets.get(who) ?? freshBucket(now);
    this.#buckets.set(who, bucket);
    return take(bucket, now);
  }

  #nameOf(from: Identity): string {
    return from.side === "user" ? (this.#store.session?.user_name ?? from.name) : from.name;
  }
}

function attachmentOf(socket: WebSocket): Attachment {
  return socket.deserializeAttachment() as Attachment;
}

function sendText(socket: WebSocket, text: string): void {
  // A socket that closes this moment throws; its browser resumes from its last seq.
  try {
    socket.send(text);
  } catch {
    socket.close(1011, "not reachable");
  }
}
