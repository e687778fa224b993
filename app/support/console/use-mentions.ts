import { useEffect, useRef } from "react";
import { MENTIONS_COUNTED, type Mention } from "#app/support/inbox/inbox-view.ts";

/**
 * Marks the agent's mentions in the conversation that is open and visible as read, and has new ones in other
 * conversations announced. `onRead` reads the list again.
 */
export function useMentions(
  mentions: Mention[],
  { openId, onNew, onRead }: { openId: string | undefined; onNew: (mentions: Mention[]) => void; onRead: () => void },
): void {
  const current = useRef({ mentions, openId, onNew, onRead });
  current.current = { mentions, openId, onNew, onRead };
  // What was there when the page was loaded is not new.
  const known = useRef(new Set(mentions.map(keyOf)));

  useEffect(() => {
    const added = mentions.filter((mention) => !known.current.has(keyOf(mention)));
    for (const mention of added) known.current.add(keyOf(mention));
    if (added.length > 0) current.current.onNew(added);
  }, [mentions]);

  // Of many, only the newest are listed.
  const isUnread = mentions.length > MENTIONS_COUNTED || mentions.some(({ sessionId }) => sessionId === openId);
  useEffect(() => {
    if (!isUnread || openId === undefined) return;
    const markRead = async () => {
      if (document.visibilityState === "visible" && (await postRead(openId))) current.current.onRead();
    };
    void markRead();
    document.addEventListener("visibilitychange", markRead);
    return () => document.removeEventListener("visibilitychange", markRead);
  }, [isUnread, openId]);
}

/** The same after a visitor logged in, when the note has another number in another conversation. */
function keyOf({ authorName, createdAt }: Mention): string {
  return `${authorName} ${createdAt}`;
}

/** Returns false if it failed; the mention stays unread until the conversation is opened again. */
async function postRead(sessionId: string): Promise<boolean> {
  try {
    const { ok } = await fetch("/admin/mentions", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ sessionId }),
    });
    return ok;
  } catch {
    return false;
  }
}
