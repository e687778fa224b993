import * as z from "zod/mini";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { escapeHtml, textToHtml } from "#app/email/escape-html.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import type { History } from "#app/support/protocol/frames.ts";
import { filePath } from "#app/support/protocol/room-paths.ts";
import { userIdOf } from "#app/support/protocol/session-id.ts";
import { isTimeZone } from "#app/support/team/business-hours.ts";
import { MINUTE_MS } from "#app/time.ts";

/** Strict: the recipient is not the caller's to choose. */
export const transcriptSchema = z.strictObject({
  /** IANA name of the reader's time zone. A browser may know one that we do not; then it is UTC. */
  timeZone: z.pipe(
    z.optional(z.string().check(z.maxLength(64))),
    z.transform((name) => (name !== undefined && isTimeZone(name) ? name : "UTC")),
  ),
});
type Reader = z.infer<typeof transcriptSchema> & { email: string };

/** Equal transcripts that are asked for in one such window of the clock are one email. */
const SAME_MS = 10 * MINUTE_MS;

/** For somebody whose address a stranger typed. */
const WHY = `You received this transcript because someone gave this address in a chat with ${PRODUCT_NAME} support. If that wasn't you, ignore this email.`;

/** Renders the whole conversation as an email, oldest message first. `origin`: the site's, for links to files. */
export function transcriptEmail({ email, timeZone }: Reader, { session, messages }: History, origin: string) {
  const format = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "short", timeZone });
  const entries = messages.map(({ sender_name, message, created_at, file }) => ({
    // A name with line breaks could pass for another message.
    name: sender_name.replaceAll(/\s+/g, " "),
    at: format.format(created_at),
    text: message,
    link: file && new URL(filePath(session.session_id, file.id), origin).href,
  }));
  const lead = `Hi ${session.user_name.replaceAll(/\s+/g, " ")}, here is your conversation. Times are in ${timeZone}.`;
  const where = userIdOf(session.session_id) === null ? "in the browser you wrote from" : "after you log in";
  const tail = [...(entries.some(({ link }) => link) ? [`Files open ${where}.`] : []), WHY];
  const text = entries.map(
    ({ name, at, text, link }) => `${name}, ${at}\n${indented(link ? `File: ${text}\n${link}` : text)}`,
  );
  const html = entries.map(({ name, at, text, link }) => {
    const body = link ? `<a href="${escapeHtml(link)}">${escapeHtml(text)}</a>` : textToHtml(text);
    return `<p dir="auto"><b><bdi>${escapeHtml(name)}</bdi>, ${escapeHtml(at)}</b><br>${body}</p>`;
  });
  return {
    to: email,
    subject: `Your conversation with ${PRODUCT_NAME} support`,
    text: `${[lead, ...text, ...tail].join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escapeHtml(lead)}</p>${html.join("")}${tail.map((line) => `<p>${line}</p>`).join("")}</body></html>`,
  };
}

/** Returns the id of a transcript's email, so that a request that is repeated after a lost answer queues no second one. */
export function transcriptId(recipient: string, { session, lastSeq }: History, now: number): string {
  // A digest, because the email API sees the id.
  return sha256(`transcript ${session.session_id} ${lastSeq} ${recipient} ${Math.floor(now / SAME_MS)}`);
}

// Keeps a line of a message from passing for the heading of another one.
function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
