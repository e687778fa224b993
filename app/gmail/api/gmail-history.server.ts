import { z } from "zod";
import { HIDDEN_LABELS } from "./gmail-message.server.ts";

/** Gmail's changes since a history id. History ids are unsigned 64-bit numbers, kept as text. */

const change = z.object({ message: z.object({ id: z.string() }) });
const labelChange = change.extend({ labelIds: z.array(z.string()).default([]) });

export const historyPage = z.object({
  historyId: z.string().regex(/^\d+$/),
  nextPageToken: z.string().optional(),
  history: z
    .array(
      z.object({
        messagesAdded: z.array(change).default([]),
        messagesDeleted: z.array(change).default([]),
        labelsAdded: z.array(labelChange).default([]),
        labelsRemoved: z.array(labelChange).default([]),
      }),
    )
    .default([]),
});

export type HistoryPage = z.infer<typeof historyPage>;

/**
 * Reduces the history to the last change of each message. Moving a message to trash or spam counts as removal, but not for
 * `growth`: by how many messages the mailbox grew, as its profile counts them.
 */
export function foldHistory(pages: HistoryPage[]): { added: string[]; removed: string[]; growth: number } {
  const fate = new Map<string, "added" | "removed">();
  const hides = (labels: string[]) => labels.some((label) => HIDDEN_LABELS.includes(label));
  const entries = pages.flatMap((page) => page.history);
  for (const entry of entries) {
    for (const { message } of entry.messagesAdded) fate.set(message.id, "added");
    for (const { message, labelIds } of entry.labelsRemoved) if (hides(labelIds)) fate.set(message.id, "added");
    for (const { message, labelIds } of entry.labelsAdded) if (hides(labelIds)) fate.set(message.id, "removed");
    for (const { message } of entry.messagesDeleted) fate.set(message.id, "removed");
  }
  const withFate = (kind: "added" | "removed") => [...fate].filter(([, one]) => one === kind).map(([id]) => id);
  const countOf = (kind: "messagesAdded" | "messagesDeleted") =>
    new Set(entries.flatMap((entry) => entry[kind].map(({ message }) => message.id))).size;
  const growth = countOf("messagesAdded") - countOf("messagesDeleted");
  return { added: withFate("added"), removed: withFate("removed"), growth };
}
