import * as z from "zod/mini";

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
const wellFormed = z.refine<string>((text) => text.isWellFormed(), "not well-formed text");
const seq = z.number().check(z.int(), z.nonnegative());
const time = z.number().check(z.int());
export const clientIdSchema = z.string().check(z.minLength(1), z.maxLength(64), wellFormed);
const body = z.string().check(
  z.maxLength(BODY_MAX_CHARS),
  wellFormed,
  z.refine((text) => text.trim() !== ""),
);

const senderType = z.enum(["user", "admin", "system"]);
const side = z.enum(["user", "admin"]);

export const sendSchema = z.strictObject({ clientId: clientIdSchema, body });
export const readSchema = z.strictObject({ seq });

const upFrame = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("send"), clientId: clientIdSchema, body }),
  z.strictObject({ type: z.literal("read"), seq }),
  z.strictObject({ type: z.literal("typing") }),
  // Where the visitor is: a path without its query, which may carry secrets.
  z.strictObject({
    type: z.literal("page"),
    path: z.string().check(z.maxLength(PAGE_MAX_CHARS), z.regex(/^\/[^?#]*$/), wellFormed),
    title: z.string().check(z.maxLength(PAGE_MAX_CHARS), wellFormed),
  }),
]);

const file = z.object({ id: z.string(), name: z.string(), type: z.string(), size: z.number() });

const message = z.object({
  seq,
  /** The sender's own id for it; unique within one author. */
  client_id: z.string(),
  sender_type: senderType,
  sender_name: z.string(),
  message: z.string(),
  created_at: time,
  /** `message` is its name then. */
  file: z.optional(file),
});

const session = z.object({
  session_id: z.string(),
  user_name: z.string(),
  user_email: z.nullable(z.string()),
  status: z.enum(["open", "closed"]),
  updated_at: time,
});

const readSeq = z.object({ user: seq, admin: seq });

const history = z.object({ epoch: z.string(), session, lastSeq: seq, readSeq, messages: z.array(message) });
const ack = z.object({ clientId: clientIdSchema, seq, created_at: time });

const downFrame = z.discriminatedUnion("type", [
  z.extend(history, { type: z.literal("ready") }),
  z.extend(ack, { type: z.literal("ack") }),
  z.object({ type: z.literal("message"), message }),
  z.object({ type: z.literal("read"), side, seq }),
  z.object({ type: z.literal("typing"), side, name: z.string() }),
  z.object({ type: z.literal("presence"), user: z.boolean(), agents: z.number() }),
  z.object({ type: z.literal("session"), session }),
  z.object({
    type: z.literal("error"),
    code: z.enum(["bad_frame", "rate_limited", "blocked"]),
    message: z.string(),
    clientId: z.optional(z.string()),
  }),
]);

const hint = z.object({ type: z.literal("hint"), session_id: z.string() });

export type Side = z.infer<typeof side>;
export type UpFrame = z.infer<typeof upFrame>;
export type DownFrame = z.infer<typeof downFrame>;
export type SupportMessage = z.infer<typeof message>;
/** `size` in bytes; `type` is what its content says. */
export type SupportFile = z.infer<typeof file>;
export type SupportSession = z.infer<typeof session>;
export type ReadSeq = z.infer<typeof readSeq>;
export type History = z.infer<typeof history>;
export type Ack = z.infer<typeof ack>;
export type Hint = z.infer<typeof hint>;

/** Null for what is not a frame of this protocol. */
export function parseUp(text: string): UpFrame | null {
  return parse(upFrame, text);
}

/** Null for what this browser does not know, such as a frame of a newer server. */
export function parseDown(text: string): DownFrame | null {
  return parse(downFrame, text);
}

export function parseHint(text: string): Hint | null {
  return parse(hint, text);
}

export function parseHistory(value: unknown): History | null {
  return history.safeParse(value).data ?? null;
}

export function parseAck(value: unknown): Ack | null {
  return ack.safeParse(value).data ?? null;
}

export function parseSession(value: unknown): SupportSession | null {
  return session.safeParse(value).data ?? null;
}

function parse<T>(schema: z.ZodMiniType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
