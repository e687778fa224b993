import type { DeadDirection } from "../scripts/plan-chats.ts";
import type { Person } from "./people.ts";
import type { Site } from "./site.ts";

/** A message as the protocol shows it. */
export type ShownMessage = {
  seq: number;
  client_id: string;
  sender_type: string;
  message: string;
  /** Ms since 1970. */
  created_at: number;
};
export type SentMessage = {
  clientId: string;
  text: string;
  /** The seq of its acknowledgement, or null. */
  seq: number | null;
  /** When it was written, and its acknowledgement arrived: simulated ms since 1970. */
  from: number;
  to: number;
  isRefused: boolean;
};

export type ReadMarks = { user: number; admin: number };

/** One side of one conversation, over a real socket. It knows the frames, and nothing else of the product's client. */
export type ChatPerson = {
  room: string;
  sent: SentMessage[];
  /** Each message that it received live or in a history, by seq. More than one text for a seq is a violation. */
  shown: Map<number, ShownMessage[]>;
  /** Real times of the frames that it received since its session ended. */
  framesAfterEnd: string[];
  acksAfterEnd: string[];
  /** The last message that this side said it has read, and what the room says of both sides. */
  read: { mark: number; isKnown: boolean; room: ReadMarks; wentBack: ReadMarks[] };
  connect(): Promise<void>;
  /** Sends a message once the socket is open. It is sent again after a lost connection until it is acknowledged. */
  say(text: string): void;
  /** Says that everything shown is read. It is said again after a lost connection until the room knows it. */
  markRead(): void;
  /** Breaks the connection without a word. */
  drop(): void;
  /** Lets the connection die, while the product's side stays open. The person notices at the next `connect`. */
  die(direction: DeadDirection): void;
  /** From now on the session has ended, and nothing may arrive or be acknowledged. */
  markEnded(): void;
  isOpen(): boolean;
  unanswered(): number;
  close(): void;
};

const OPEN_WITHIN_MS = 10_000;

export function chatPerson(
  { url, now, during }: Pick<Site, "url" | "now" | "during">,
  room: string,
  person: Person,
  side: keyof ReadMarks = "user",
): ChatPerson {
  let socket: WebSocket | null = null;
  let hasEnded = false;
  let dead: DeadDirection | null = null;
  const abandoned: WebSocket[] = [];
  let lastSeq = 0;
  const sent: SentMessage[] = [];
  const shown = new Map<number, ShownMessage[]>();
  const framesAfterEnd: string[] = [];
  const acksAfterEnd: string[] = [];
  const read: ChatPerson["read"] = { mark: 0, isKnown: true, room: { user: 0, admin: 0 }, wentBack: [] };

  const noteRead = (marks: Partial<ReadMarks>) => {
    const before = read.room;
    read.room = { ...before, ...marks };
    if (read.room.user < before.user || read.room.admin < before.admin) read.wentBack.push(before, read.room);
    if (read.room[side] >= read.mark) read.isKnown = true;
  };
  const show = (message: ShownMessage) => {
    const known = shown.get(message.seq) ?? [];
    const isKnown = known.some(
      ({ client_id, message: text }) => client_id === message.client_id && text === message.message,
    );
    if (!isKnown) shown.set(message.seq, [...known, message]);
    lastSeq = Math.max(lastSeq, message.seq);
  };
  const transmit = (frame: object) =>
    dead === "up" || dead === "both" ? undefined : socket?.send(JSON.stringify(frame));
  const sendFrame = ({ clientId, text }: SentMessage) => transmit({ type: "send", clientId, body: text });
  const sendMark = () => transmit({ type: "read", seq: read.mark });
  const receive = (text: string) => {
    if (text === "pong") return;
    if (hasEnded) framesAfterEnd.push(text.slice(0, 200));
    const frame = JSON.parse(text) as {
      type: string;
      clientId?: string;
      seq?: number;
      created_at?: number;
      messages?: ShownMessage[];
      message?: ShownMessage | string;
      readSeq?: ReadMarks;
      side?: keyof ReadMarks;
    };
    if (frame.type === "read" && frame.side) noteRead({ [frame.side]: frame.seq });
    if (frame.type === "ready") {
      for (const message of frame.messages ?? []) show(message);
      if (frame.readSeq) noteRead(frame.readSeq);
      if (!read.isKnown) sendMark();
      for (const message of sent) if (message.seq === null && !message.isRefused) sendFrame(message);
    } else if (frame.type === "message" && typeof frame.message === "object") {
      show(frame.message);
      const own = sent.find(({ clientId }) => clientId === (frame.message as ShownMessage).client_id);
      if (own && own.seq === null) {
        own.seq = frame.message.seq;
        own.to = now();
      }
    } else if (frame.type === "ack") {
      if (hasEnded) acksAfterEnd.push(text);
      const own = sent.find(({ clientId }) => clientId === frame.clientId);
      if (own && frame.seq !== undefined) {
        if (own.seq === null) own.to = now();
        own.seq = frame.seq;
        // The author gets no other frame of it.
        const { clientId, text } = own;
        const { seq, created_at = own.from } = frame;
        show({ seq, client_id: clientId, sender_type: "", message: text, created_at });
      }
    } else if (frame.type === "error") {
      const own = sent.find(({ clientId }) => clientId === frame.clientId);
      if (own) own.isRefused = true;
    }
  };

  return {
    room,
    sent,
    shown,
    framesAfterEnd,
    acksAfterEnd,
    read,
    async connect() {
      if (socket && dead) {
        abandoned.push(socket);
        socket = null;
        dead = null;
      }
      if (socket) return;
      const target = `${url.replace("http", "ws")}/support/sessions/${room}/socket?since=${lastSeq}`;
      const opening = new WebSocket(target, {
        headers: { Cookie: person.cookie(), Origin: url, ...person.clockHeaders() },
      } as unknown as string[]);
      socket = opening;
      const opened = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, OPEN_WITHIN_MS);
        const done = () => {
          clearTimeout(timer);
          resolve();
        };
        opening.addEventListener("message", ({ data }) => {
          if (socket === opening && dead !== "down" && dead !== "both") receive(String(data));
          done();
        });
        opening.addEventListener("close", () => {
          if (socket === opening) socket = null;
          done();
        });
        opening.addEventListener("error", done);
      });
      await during(opened);
    },
    say(text) {
      const message: SentMessage = {
        clientId: crypto.randomUUID(),
        text,
        seq: null,
        from: now(),
        to: 0,
        isRefused: false,
      };
      sent.push(message);
      if (socket?.readyState === WebSocket.OPEN) sendFrame(message);
    },
    markRead() {
      if (lastSeq <= read.mark) return;
      read.mark = lastSeq;
      read.isKnown = read.room[side] >= lastSeq;
      if (socket?.readyState === WebSocket.OPEN) sendMark();
    },
    drop() {
      socket?.close();
      socket = null;
      dead = null;
    },
    die(direction) {
      if (socket) dead = direction;
    },
    markEnded() {
      hasEnded = true;
    },
    isOpen: () => socket?.readyState === WebSocket.OPEN,
    unanswered: () => sent.filter(({ seq, isRefused }) => seq === null && !isRefused).length,
    close() {
      for (const old of abandoned) old.close();
      socket?.close();
      socket = null;
    },
  };
}
