import { CHAT_HASH } from "#app/components/navigation/chat-hash.ts";
import { escapeHtml, textToHtml } from "#app/email/escape-html.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";

/** Redirects at once if the reader is signed in, else after signing in. */
const ACCOUNT_CHAT = `/auth/login?${new URLSearchParams({ redirectTo: `/dashboard${CHAT_HASH}` })}`;

/** Replies that the visitor has not read. `after`: the last seq they read. `upTo`: the seq of the last reply. */
export type UnreadReplies = {
  email: string;
  name: string;
  origin: string;
  unread: SupportMessage[];
  after: number;
  upTo: number;
};

/** Returns the URL that opens the chat. `isAccount`: the reader signs in to continue; otherwise only their browser has access. */
export function chatLink(origin: string, isAccount: boolean): string {
  return origin + (isAccount ? ACCOUNT_CHAT : `/${CHAT_HASH}`);
}

/**
 * Renders the email. `isAccount`: as in `chatLink`. `takesAnswers`: an answer by email returns to the chat.
 */
export function unreadReplyEmail({
  email,
  name,
  origin,
  unread,
  isAccount,
  takesAnswers,
}: Pick<UnreadReplies, "email" | "name" | "origin" | "unread"> & { isAccount: boolean; takesAnswers: boolean }) {
  const link = chatLink(origin, isAccount);
  const lead = `Hi ${name}, our support team replied while you were away:`;
  const replies = unread.map(({ sender_name, message, file }) => ({
    name: sender_name,
    text: file ? `[File: ${message}]` : message,
  }));
  const where = isAccount ? "" : " in the browser you wrote from";
  const tail = takesAnswers
    ? `Reply to this email, or continue the conversation${where}:`
    : `We can't read replies to this email. Continue the conversation${where}:`;
  return {
    to: email,
    subject: `${PRODUCT_NAME} support replied to you`,
    text: `${[lead, ...replies.map(({ name, text }) => `${name}:\n${text}`), `${tail}\n${link}`].join("\n\n")}\n`,
    html: `<!doctype html><html lang="en"><body><p>${escapeHtml(lead)}</p>${replies
      .map(({ name, text }) => `<p><b>${escapeHtml(name)}</b><br>${textToHtml(text)}</p>`)
      .join("")}<p>${escapeHtml(tail)}<br><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p></body></html>`,
  };
}
