import { PRODUCT_NAME } from "#app/product.ts";
import { escapeHtml, textToHtml } from "./escape-html.ts";
import { CHAT_HASH } from "./identity.ts";
import type { SupportMessage } from "./protocol.ts";

/** Answers that their visitor has not seen. `upTo`: the seq of the last one. */
export type LeftMail = { email: string; name: string; origin: string; unread: SupportMessage[]; upTo: number };

export function leftMail({ email, name, origin, unread }: LeftMail) {
  const link = `${origin}/${CHAT_HASH}`;
  const lead = `Hi ${name}, our team has answered you while you were away:`;
  const lines = unread.map(({ sender_name, message, file }) => ({
    head: sender_name,
    text: file ? `[File: ${message}]` : message,
  }));
  const tail = "Go on with the conversation, in the browser that you wrote from:";
  return {
    to: email,
    subject: `${PRODUCT_NAME} support has answered`,
    text: `${[lead, ...lines.map(({ head, text }) => `${head}:\n${text}`), `${tail}\n${link}`].join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escapeHtml(lead)}</p>${lines
      .map(({ head, text }) => `<p><b>${escapeHtml(head)}</b><br>${textToHtml(text)}</p>`)
      .join("")}<p>${escapeHtml(tail)}<br><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p></body></html>`,
  };
}
