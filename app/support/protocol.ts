import {
  byType,
  exactly,
  flag,
  type Infer,
  listOf,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  take,
  text,
  whole,
} from "./shape.ts";

/** The frames between a browser and its room, JSON text. One schema for both ends. */

export const BODY_MAX_CHARS = 4000;
export const NAME_MAX_CHARS = 100;
export const PAGE_MAX_CHARS = 200;
/** A body of 4,000 characters, each escaped to six, and the frame around it. */
export const FRAME_MAX_CHARS = 32_768;
/** Answered by the runtime itself, without waking the room; neither is JSON. */
export const PING = "ping";
export const PONG = "pong";

/** Codes a room closes with. The client does not come back after the first two; the reason of `moved` is where to. */
export const CLOSE = { gone: 4404, moved: 4410, tooLarge: 1009, binary: 1003, tooMany: 1008 } as const;

// Half a surrogate pair has no bytes in UTF-8: it would come back changed.
const wellFormed = (most: number) => text((value) => value.length <= most && value.isWellFormed());
const seq = whole(0);
const time = whole();
const clientId = text((id) => id !== "" && id.length <= 64 && id.isWellFormed());
const body = text((said) => said.length <= BODY_MAX_CHARS && said.isWellFormed() && said.trim() !== "");
const senderType = oneOf("user", "admin", "system");
const side = oneOf("user", "admin");
const type = text();

const send = exactly({ clientId, body });
const read = exactly({ seq });
const upFrame = byType({
  send: exactly({ type, clientId, body }),
  read: exactly({ type, seq }),
  typing: exactly({ type }),
  // Where the visitor is: a path without its query, which may carry secrets.
  page: exactly({
    type,
    path: text((path) => path.length <= PAGE_MAX_CHARS && path.isWellFormed() && /^\/[^?#]*$/.test(path)),
    title: wellFormed(PAGE_MAX_CHARS),
  }),
});

const file = record({ id: text(), name: text(), type: text(), size: whole() });
const message = record({
  seq,
  /** The sender's own id for it; unique within one author. */
  client_id: text(),
  sender_type: senderType,
  sender_name: text(),
  message: text(),
  created_at: time,
  /** `message` is its name then. */
  file: optional(file),
});
const session = record({
  session_id: text(),
  user_name: text(),
  user_email: orNull(text()),
  status: oneOf("open", "closed"),
  updated_at: time,
});
const readSeq = record({ user: seq, admin: seq });
const history = record({ epoch: text(), session, lastSeq: seq, readSeq, messages: listOf(message) });
const ack = record({ clientId, seq, created_at: time });
const downFrame = byType({
  ready: history,
  ack,
  message: record({ message }),
  read: record({ side, seq }),
  typing: record({ side, name: text() }),
  presence: record({ user: flag, agents: whole(0) }),
  session: record({ session }),
  error: record({
    code: oneOf("bad_frame", "rate_limited", "blocked"),
    message: text(),
    clientId: optional(text()),
  }),
});
const hint = record({ type: oneOf("hint"), session_id: text() });

export type Side = Infer<typeof side>;
export type UpFrame = Infer<typeof upFrame>;
export type DownFrame = Infer<typeof downFrame>;
export type SupportMessage = Infer<typeof message>;
/** `size` in bytes; `type` is what its content says. */
export type SupportFile = Infer<typeof file>;
export type SupportSession = Infer<typeof session>;
export type ReadSeq = Infer<typeof readSeq>;
export type History = Infer<typeof history>;
export type Ack = Infer<typeof ack>;
export type Hint = Infer<typeof hint>;

/** Null for what is not a frame of this protocol. */
export function parseUp(json: string): UpFrame | null {
  return parse(upFrame, json);
}

/** Null for what this browser does not know, such as a frame of a newer server. */
export function parseDown(json: string): DownFrame | null {
  return parse(downFrame, json);
}

export function parseHint(json: string): Hint | null {
  return parse(hint, json);
}

export function parseHistory(value: unknown): History | null {
  return take(history, value);
}

export function parseAck(value: unknown): Ack | null {
  return take(ack, value);
}

export function parseSession(value: unknown): SupportSession | null {
  return take(session, value);
}

/** Null for what is no message, as it comes over HTTP. */
export function parseSend(value: unknown): { clientId: string; body: string } | null {
  return take(send, value);
}

export function parseRead(value: unknown): { seq: number } | null {
  return take(read, value);
}

/** Null for what names no message. */
export function parseClientId(value: unknown): string | null {
  return take(clientId, value);
}

function parse<T>(shape: Shape<T>, json: string): T | null {
  try {
    return take(shape, JSON.parse(json));
  } catch {
    return null;
  }
}
