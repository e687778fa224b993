import { composeEmail } from "#app/email/compose-email.ts";
import type { Email } from "#app/email/send-email.server.ts";
import { chatLink } from "./unread-reply-email.ts";

/** What a file of an email must be. In ASCII, because mail servers say it, too. */
export const FILE_LIMITS = "We take JPEG, PNG, GIF, WebP and PDF files of up to 10 MB, five in an email.";

/** More than a person attaches in vain. */
const NAMES_MAX = 10;

/** Renders the email that names the files an answer arrived without. `replyTo`: where they can be sent again. */
export function filesNotTakenEmail(
  names: string[],
  { to, replyTo, origin, isAccount }: { to: string; replyTo: string; origin: string; isAccount: boolean },
): Email {
  const parts = [
    `Your answer is in the chat, without ${listed(names, NAMES_MAX)}.`,
    `${FILE_LIMITS} Reply with a file that fits, or send it in the chat. Don't send the rest again.`,
    { link: chatLink(origin, isAccount), label: "Open the chat" },
  ];
  return {
    ...composeEmail(to, "Your answer arrived without some of its files", parts),
    replyTo,
    // Vacation notices don't answer it.
    headers: { "Auto-Submitted": "auto-replied" },
  };
}

/** Names the first files, and counts the others. */
export function listed(names: string[], max: number): string {
  const shown = [...names.slice(0, max), ...(names.length > max ? [`${names.length - max} more`] : [])];
  return new Intl.ListFormat("en").format(shown);
}
