import { z } from "zod";
import { cleanName } from "#app/http/clean-text.ts";
import { decodeEntities } from "#app/http/html-entities.ts";

/** A message as stored. `internalDate` is in ms since 1970. */
export type GmailMessage = {
  id: string;
  fromEmail: string;
  fromName: string;
  subject: string;
  snippet: string;
  internalDate: number;
};

/** Characters kept per field. A list shows no more, and rows must stay small. */
const MAX_TEXT = 1000;

/** Labels that exclude a message from the list. */
export const HIDDEN_LABELS = ["TRASH", "SPAM"];

/**
 * A message with an id and labels is stored, whatever else Gmail says of it: one that was refused would be asked for again
 * in every sync, and end each. A date before 1970 is negative; one that can't be read counts as 1970.
 */
const resource = z.object({
  id: z.string().min(1),
  labelIds: z.array(z.string()).default([]),
  snippet: z.string().catch(""),
  internalDate: z
    .string()
    .regex(/^-?\d{1,15}$/)
    .catch("0"),
  payload: z
    .object({ headers: z.array(z.object({ name: z.string(), value: z.string().catch("") })).catch([]) })
    .catch({ headers: [] }),
});

/** Parses a `users.messages` resource in format `metadata`. "hidden" means trash or spam; null means invalid. */
export function parseMessage(body: unknown): GmailMessage | "hidden" | null {
  const parsed = resource.safeParse(body);
  if (!parsed.success) return null;
  const { id, labelIds, snippet, internalDate, payload } = parsed.data;
  if (labelIds.some((label) => HIDDEN_LABELS.includes(label))) return "hidden";
  const header = (name: string) =>
    decodeWords(payload.headers.find((one) => one.name.toLowerCase() === name)?.value ?? "");
  const { email, name } = parseAddress(header("from"));
  return {
    id,
    fromEmail: cut(email),
    fromName: cut(cleanName(name)),
    subject: cut(header("subject")),
    // Gmail escapes it for HTML.
    snippet: cut(decodeEntities(snippet)),
    internalDate: Number(internalDate),
  };
}

/** Splits `"Maria, Studio" <maria@studio.example>` into name and email. Text without an address becomes the email. */
export function parseAddress(from: string): { email: string; name: string } {
  const angled = /^(.*)<([^<>]*)>[^<>]*$/s.exec(from);
  if (!angled) return { email: from.trim(), name: "" };
  const [, name = "", email = ""] = angled;
  const plain = name
    .trim()
    .replace(/^"(.*)"$/s, "$1")
    .replaceAll(/\\(.)/g, "$1")
    .trim();
  return { email: email.trim() || plain, name: plain };
}

/** Decodes RFC 2047 words such as `=?utf-8?Q?Gr=C3=BC=C3=9Fe?=`. Words in an unknown charset stay as they are. */
export function decodeWords(value: string): string {
  // White space between two encoded words is not part of the text.
  const joined = value.replaceAll(/(\?=)\s+(?==\?)/g, "$1");
  return joined.replaceAll(
    /=\?([^?\s]+)\?([bq])\?([^?]*)\?=/gi,
    (word, charset: string, encoding: string, text: string) => {
      try {
        const decoder = new TextDecoder(charset.split("*")[0], { fatal: true });
        return decoder.decode(encoding.toLowerCase() === "b" ? Buffer.from(text, "base64") : quoted(text));
      } catch {
        return word;
      }
    },
  );
}

function quoted(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const [, hex, char = ""] of text.matchAll(/=([0-9a-f]{2})|(.)/gis)) {
    if (hex) bytes.push(Number.parseInt(hex, 16));
    else bytes.push(...new TextEncoder().encode(char === "_" ? " " : char));
  }
  return Uint8Array.from(bytes);
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`;
}
