import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import { countCodeAttempt, readPercentCode } from "#app/orders/prices/percent-code-use.server.ts";
import type { CheckedCode } from "../quotes/quoted-price.ts";

export const MAX_CODE_CHARACTERS = 60;

/** Answer to the order form about a typed code. */
export type CodeAnswer = { ok: true; code: CheckedCode } | { ok: false; text: string };

/** Checks a code for a customer without using it. Attempts are limited. */
export async function checkCode(db: Db, request: Request, userId: string, written: string): Promise<CodeAnswer> {
  if (written.trim() === "") return { ok: false, text: "Enter your code." };
  const refusal = await countedRefusal(db, request, userId);
  if (refusal !== null) return { ok: false, text: refusal };
  const found = await readPercentCode(db, userId, cutText(written, MAX_CODE_CHARACTERS));
  if (!found.ok) return found;
  const { id: _, ...code } = found.code;
  return { ok: true, code };
}

/** Counts an attempt with a code. Returns why it is refused, or null. */
export async function countedRefusal(db: Db, request: Request | null, userId: string): Promise<string | null> {
  const attempt = await countCodeAttempt(db, request, userId);
  if (attempt.ok) return null;
  const minutes = Math.ceil(attempt.retryAfterSeconds / 60);
  return `Too many attempts with codes. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
}
