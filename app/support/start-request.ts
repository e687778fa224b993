import { NAME_MAX_CHARS } from "./protocol.ts";

export const NAME_NEEDED = "Please enter your name";
const EMAIL_MAX_CHARS = 254;

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const EMAIL_WRONG = "Please check your email";

/** What `POST /support/session` takes. A `session_id` in it is not read: the cookies say whose conversation it is. */
export type StartRequest = { name: string; email?: string | null | undefined };

export function parseStart(value: unknown): { ok: true; start: StartRequest } | { ok: false; error: string } {
  const given = typeof value === "object" && value !== null ? (value as { name?: unknown; email?: unknown }) : {};
  const name = typeof given.name === "string" ? given.name.trim() : "";
  if (name === "") return { ok: false, error: NAME_NEEDED };
  if (name.length > NAME_MAX_CHARS) {
    return { ok: false, error: `Please use a name of at most ${NAME_MAX_CHARS} characters` };
  }
  const start = { name: name.toWellFormed() };
  if (given.email === undefined || given.email === null) return { ok: true, start };
  const email = typeof given.email === "string" ? given.email.trim() : null;
  if (email === null || email.length > EMAIL_MAX_CHARS || (email !== "" && !EMAIL.test(email))) {
    return { ok: false, error: EMAIL_WRONG };
  }
  return { ok: true, start: { ...start, email } };
}
