import { escapeHtml, textToHtml } from "#app/email/escape-html.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { CHAT_HASH } from "#app/support/protocol/link-hash.ts";

/** Goes on at once for who is signed in; for everybody else after signing in. */
const ACCOUNT_CHAT = `/auth/login?${new URLSearchParams({ redirectTo: `/dashboard${CHAT_HASH}` })}`;

/** Answers that their visitor has not seen. `upTo`: the seq of the last one. */
export type UnreadReplies = { email: string; name: string; origin: string; unread: SupportMessage[]; upTo: number };

/** `signedIn`: the conversation is an account's, which has to be signed in to read it; else it is the browser's. */
export function unreadReplyEmail({ email, name, origin, unread, signedIn }: UnreadReplies & { signedIn: boolean }) {
  const link = origin + (signedIn ? ACCOUNT_CHAT : `/${CHAT_HASH}`);
  const lead = `Hi ${name}, our team has answered you while you were away:`;
  const lines = unread.map(({ sender_name, message, file }) => ({
    head: sender_name,
    text: file ? `[File: ${message}]` : message,
  }));
  const tail = signedIn
    ? "Go on with the conversation:"
    : "Go on with the conversation, in the browser that you wrote from:";
  return {
    to: email,
    subject: `${PRODUCT_NAME} support has answered`,
    text: `${[lead, ...lines.map(({ head, text }) => `${head}:\n${text}`), `${tail}\n${link}`].join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escapeHtml(lead)}</p>${lines
      .map(({ head, text }) => `<p><b>${escapeHtml(head)}</b><br>${textToHtml(text)}</p>`)
      .join("")}<p>${escapeHtml(tail)}<br><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p></body></html>`,
  };
}
