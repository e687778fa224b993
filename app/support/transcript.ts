import * as z from "zod/mini";
import { PRODUCT_NAME } from "#app/product.ts";
import { escapeHtml, textToHtml } from "./escape-html.ts";
import type { History } from "./protocol.ts";

export const transcriptSchema = z.strictObject({
  email: z.string().check(z.trim(), z.maxLength(254), z.regex(/^[^\s@]+@[^\s@]+$/)),
});

/** The whole conversation as a mail. Times are UTC: nobody says where the reader is. */
export function transcriptMail(to: string, { session, messages }: History) {
  const lines = messages.map(({ sender_name, message, created_at, file }) => ({
    head: `${sender_name}, ${new Date(created_at).toISOString().slice(0, 16).replace("T", " ")} UTC`,
    text: file ? `[File: ${message}]` : message,
  }));
  const subject = `Your conversation with ${PRODUCT_NAME} support`;
  const lead = `Hi ${session.user_name}, this is what was said:`;
  const html = lines.map(({ head, text }) => `<p><b>${escapeHtml(head)}</b><br>${textToHtml(text)}</p>`).join("");
  return {
    to,
    subject,
    text: `${[lead, ...lines.map(({ head, text }) => `${head}\n${text}`)].join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escapeHtml(lead)}</p>${html}</body></html>`,
  };
}
