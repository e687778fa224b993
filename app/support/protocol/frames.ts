import * as v from "valibot";

/** The frames between a browser and its room, JSON text. One schema for both ends. */

export const BODY_MAX_CHARS = 4000;
export const NAME_MAX_CHARS = 100;
export const PAGE_MAX_CHARS = 200;
/** A body of 4,000 characters, each escaped to six, and the frame around it. */
export const FRAME_MAX_CHARS = 32_768;
/** Answered by the runtime itself, without waking the room; neither is JSON. */
export const PING = "ping";
export const PONG = "pong";

// Half a surrogate pair has no bytes in UTF-8: it would come back changed.
const wellFormed = (mostChars: number) =>
  v.pipe(
    v.string(),
    v.maxLength(mostChars),
    v.check((text) => text.isWellFormed()),
  );
const time = v.pipe(v.number(), v.safeInteger());
const seq = v.pipe(time, v.minValue(0));
const clientId = v.pipe(wellFormed(64), v.minLength(1));
const body = v.pipe(
  wellFormed(BODY_MAX_CHARS),
  v.check((said) => said.trim() !== ""),
);
const senderType = v.picklist(["user", "admin", "system"]);
const side = v.picklist(["user", "admin"]);

const said = { clientId, body };
const mark = { seq };
// Nothing beside what is named: a room takes no field that it does not know.
const upFrame = v.variant("type", [
  v.strictObject({ type: v.literal("send"), ...said }),
  v.strictObject({ type: v.literal("read"), ...mark }),
  v.strictObject({ type: v.literal("typing") }),
  // Where the visitor is: a path without its query, which may carry secrets.
  v.strictObject({
    type: v.literal("page"),
    path: v.pipe(wellFormed(PAGE_MAX_CHARS), v.regex(/^\/[^?#]*$/)),
    title: wellFormed(PAGE_MAX_CHARS),
  }),
]);
const send = v.strictObject(said);
const read = v.strictObject(mark);

const file = v.object({ id: v.string(), name: v.string(), type: v.string(), size: time });
const message = v.object({
  seq,
  /** The sender's own id for it; unique within one author. */
  client_id: v.string(),
  sender_type: senderType,
  sender_name: v.string(),
  message: v.string(),
  created_at: time,
  /** `message` is its name then. */
  file: v.optional(file),
});
const session = v.object({
  session_id: v.string(),
  user_name: v.string(),
  user_email: v.nullable(v.string()),
  status: v.picklist(["open", "closed"]),
  updated_at: time,
});
const readSeq = v.object({ user: seq, admin: seq });
const history = v.object({ epoch: v.string(), session, lastSeq: seq, readSeq, messages: v.array(message) });
const ack = v.object({ clientId, seq, created_at: time });
// Further fields are let pass: a newer server may send them.
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
/** `size` in bytes; `type` is what its content says. */
export type SupportFile = v.InferOutput<typeof file>;
export type SupportSession = v.InferOutput<typeof session>;
export type ReadSeq = v.InferOutput<typeof readSeq>;
export type History = v.InferOutput<typeof history>;
export type Ack = v.InferOutput<typeof ack>;
export type Hint = v.InferOutput<typeof hint>;

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

/** Null for what does not fit. */
export function take<S extends Schema>(schema: S, value: unknown): v.InferOutput<S> | null {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  return parsed.success ? parsed.output : null;
}

function parse<S extends Schema>(schema: S, json: string): v.InferOutput<S> | null {
  try {
    return take(schema, JSON.parse(json));
  } catch {
    return null;
  }
}
