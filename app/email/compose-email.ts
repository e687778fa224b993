import { escapeHtml } from "./escape-html.ts";
import type { Email } from "./send-email.server.ts";

/** A paragraph, or a link in one of its own. */
export type EmailPart = string | { link: string; label: string };

export function composeEmail(to: string, subject: string, parts: EmailPart[]): Email {
  const text = parts.map((part) => (typeof part === "string" ? part : part.link)).join("\n\n");
  const html = parts.map((part) =>
    typeof part === "string"
      ? `<p>${escapeHtml(part)}</p>`
      : `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.label)}</a></p><p>${escapeHtml(part.link)}</p>`,
  );
  return {
    to,
    subject,
    text: `${text}\n`,
    html: `<!doctype html><html lang="en"><body>${html.join("")}</body></html>`,
  };
}
