import * as v from "valibot";
import { EMAIL_MAX_CHARACTERS, readTypedEmail } from "#app/email-address.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { NAME_MAX_CHARS, parseAs } from "./frames.ts";

export const NAME_NEEDED = "Please enter your name";
export const EMAIL_WRONG = "Please check your email";

const address = v.pipe(
  v.string(EMAIL_WRONG),
  v.trim(),
  v.maxLength(EMAIL_MAX_CHARACTERS, EMAIL_WRONG),
  v.transform((text) => (text === "" ? "" : readTypedEmail(text))),
  v.string(EMAIL_WRONG),
);

const start = v.object(
  {
    name: v.pipe(
      v.string(NAME_NEEDED),
      v.transform(cleanName),
      v.nonEmpty(NAME_NEEDED),
      v.maxLength(NAME_MAX_CHARS, `Please use a name of at most ${NAME_MAX_CHARS} characters`),
    ),
    /** Empty means none. */
    email: v.nullish(address),
  },
  NAME_NEEDED,
);

/** The body of `POST /support/session`. A `session_id` in it is ignored: cookies decide whose conversation it is. */
export type StartInput = v.InferOutput<typeof start>;

/** Returns the address in the body of `POST …/email`, or null. */
export function parseEmail(value: unknown): string | null {
  return parseAs(v.object({ email: v.pipe(address, v.nonEmpty()) }), value)?.email ?? null;
}

export function parseStart(value: unknown): { ok: true; start: StartInput } | { ok: false; error: string } {
  const parsed = v.safeParse(start, value, { abortEarly: true });
  return parsed.success ? { ok: true, start: parsed.output } : { ok: false, error: parsed.issues[0].message };
}
