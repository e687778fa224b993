import * as v from "valibot";
import { cleanMessage, isBlank } from "#app/http/clean-text.ts";

/** Frames between a browser and its room: JSON text, one schema for both ends. */

export const BODY_MAX_CHARS = 4000;
export const NAME_MAX_CHARS = 100;
export const PAGE_MAX_CHARS = 200;
/** Fits a body of 4,000 characters, each escaped to six, and the frame around it. */
export const FRAME_MAX_CHARS = 32_768;
/** The runtime replies to a ping without waking the room. Neither is JSON. */
export const PING = "ping";
export const PONG = "pong";

// Half a surrogate pair cannot be encoded in UTF-8, so it would come back changed.
const wellFormed = (maxChars: number) =>
  v.pipe(
    v.string(),
    v.maxLength(maxChars),
    v.check((text) => text.isWellFormed()),
  );
const time = v.pipe(v.number(), v.safeInteger());
const seq = v.pipe(time, v.minValue(0));
const clientId = v.pipe(wellFormed(64), v.minLength(1));
const body = v.pipe(
  wellFormed(BODY_MAX_CHARS),
  v.transform(cleanMessage),
  v.check((text) => !isBlank(text)),
);
const senderType = v.picklist(["user", "admin", "system"]);
const side = v.picklist(["user", "admin"]);

const sendFields = { clientId, body };
const readFields = { seq };
// Strict: a room accepts no unknown field.
const upFrame = v.variant("type", [
  v.strictObject({ type: v.literal("send"), ...sendFields }),
  v.strictObject({ type: v.literal("read"), ...readFields }),
  v.strictObject({ type: v.literal("typing") }),
  // The page the visitor is on, without its query, which may hold secrets.
  v.strictObject({
    type: v.literal("page"),
    path: v.pipe(wellFormed(PAGE_MAX_CHARS), v.regex(/^\/[^?#]*$/)),
    title: wellFormed(PAGE_MAX_CHARS),
  }),
]);
const send = v.strictObject(sendFields);
const read = v.strictObject(readFields);

const file = v.object({ id: v.string(), name: v.string(), type: v.string(), size: time });
const message = v.object({
  seq,
  /** The sender's id for the message, unique per author. */
  client_id: v.string(),
  sender_type: senderType,
  sender_name: v.string(),
  message: v.string(),
  created_at: time,
  /** If present, `message` is the name of the file. */
  file: v.optional(file),
});
const session = v.object({
  session_id: v.string(),
  user_name: v.string(),
  user_email: v.nullable(v.string()),
  status: v.picklist(["open", "closed"]),
  updated_at: time,
  /** Present if the room refuses the visitor's messages. */
  blocked: v.optional(v.literal(true)),
});
const readSeq = v.object({ user: seq, admin: seq });
const history = v.object({ epoch: v.string(), session, lastSeq: seq, readSeq, messages: v.array(message) });
const ack = v.object({ clientId, seq, created_at: time });
// Not strict: a newer server may send more fields.
const downFrame = v.variant("type", [
  v.object({ type: v.literal("ready"), ...history.entries }),
  v.object({ type: v.literal("ack"), ...ack.entries }),
  v.object({ type: v.literal("message"), message }),
  v.object({ type: v.literal("read"), side, seq }),
  v.object({ type: v.literal("typing"), side, name: v.string() }),
  v.object({ type: v.literal("presence"), user: v.boolean(), agents: seq }),
  v.object({ type: v.literal("session"), session }),
  v.object({
    type: v.literal("error"),
    code: v.picklist(["bad_frame", "rate_limited", "blocked"]),
    message: v.string(),
    clientId: v.optional(v.string()),
  }),
]);
const hint = v.object({ type: v.literal("hint"), session_id: v.string() });

type Schema = v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>;
export type Side = v.InferOutput<typeof side>;
export type UpFrame = v.InferOutput<typeof upFrame>;
export type DownFrame = v.InferOutput<typeof downFrame>;
export type SupportMessage = v.InferOutput<typeof message>;
/** `size` in bytes. `type` is detected from the content. */
export type SupportFile = v.InferOutput<typeof file>;
export type SupportSession = v.InferOutput<typeof session>;
export type ReadSeq = v.InferOutput<typeof readSeq>;
export type History = v.InferOutput<typeof history>;
export type Ack = v.InferOutput<typeof ack>;
export type Hint = v.InferOutput<typeof hint>;

/** Returns null for anything but a frame of this protocol. */
export function parseUp(json: string): UpFrame | null {
  return parseJsonAs(upFrame, json);
}

/** Returns null for an unknown frame, for example one of a newer server. */
export function parseDown(json: string): DownFrame | null {
  return parseJsonAs(downFrame, json);
}

export function parseHint(json: string): Hint | null {
  return parseJsonAs(hint, json);
}

export function parseHistory(value: unknown): History | null {
  return parseAs(history, value);
}

export function parseAck(value: unknown): Ack | null {
  return parseAs(ack, value);
}

export function parseSession(value: unknown): SupportSession | null {
  return parseAs(session, value);
}

/** Parses the HTTP body of a message. Returns null if it is invalid. */
export function parseSend(value: unknown): { clientId: string; body: string } | null {
  return parseAs(send, value);
}

export function parseRead(value: unknown): { seq: number } | null {
  return parseAs(read, value);
}

export function parseClientId(value: unknown): string | null {
  return parseAs(clientId, value);
}

/** Returns null if the value does not match the schema. */
export function parseAs<S extends Schema>(schema: S, value: unknown): v.InferOutput<S> | null {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  return parsed.success ? parsed.output : null;
}

export function parseJsonAs<S extends Schema>(schema: S, json: string): v.InferOutput<S> | null {
  try {
    return parseAs(schema, JSON.parse(json));
  } catch {
    return null;
  }
}
