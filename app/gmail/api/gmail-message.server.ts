import { z } from "zod";
import { cutText } from "#app/cut-text.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { decodeEntities } from "#app/http/html-entities.ts";
import { decodeWords, parseSender } from "./email-headers.ts";

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

/** Returns whether somebody sent it to the mailbox: not a draft, nor what only its owner sent. */
function isReceived(labels: string[]): boolean {
  return !labels.includes("DRAFT") && (!labels.includes("SENT") || labels.includes("INBOX"));
}

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

/** Parses a `users.messages` resource in format `metadata`. "hidden": trash, spam, or not received. null: invalid. */
export function parseMessage(body: unknown): GmailMessage | "hidden" | null {
  const parsed = resource.safeParse(body);
  if (!parsed.success) return null;
  const { id, labelIds, snippet, internalDate, payload } = parsed.data;
  if (labelIds.some((label) => HIDDEN_LABELS.includes(label)) || !isReceived(labelIds)) return "hidden";
  const header = (name: string) => payload.headers.find((one) => one.name.toLowerCase() === name)?.value ?? "";
  const { email, name } = parseSender(header("from"));
  return {
    id,
    fromEmail: cut(email),
    fromName: cut(cleanName(name)),
    subject: cut(decodeWords(header("subject"))),
    // Gmail escapes it for HTML.
    snippet: cut(decodeEntities(snippet)),
    internalDate: Number(internalDate),
  };
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${cutText(text, MAX_TEXT - 1)}…`;
}
