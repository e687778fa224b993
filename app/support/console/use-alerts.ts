import { useCallback, useState, useSyncExternalStore } from "react";
import type { InboxRow, Mention } from "#app/support/inbox/inbox-view.ts";
import { useNotice } from "#app/support/thread/notice-settings.ts";
import { playOnce } from "#app/support/thread/use-sound.ts";
import { viewedConversations } from "./viewing-lock.ts";

/** `unsupported`: this browser has no notifications. */
export type DesktopPermission = NotificationPermission | "unsupported";

/**
 * Alerts an agent to new messages and mentions: by sound, and by a desktop notification while this window is not in front. Skips
 * conversations that the agent is viewing in any tab.
 */
export function useAlerts(openId: string | undefined, onOpen: (sessionId: string) => void) {
  const hasSound = useNotice("sound");
  const hasDesktop = useNotice("desktop");
  const [permission, ask] = useDesktopPermission();
  const announce = useCallback(
    async (notices: Announcement[]) => {
      const viewed = await viewedConversations();
      if (openId !== undefined && !document.hidden) viewed.add(openId);
      const unviewed = notices.filter(({ sessionId }) => !viewed.has(sessionId));
      if (unviewed.length === 0) return;
      if (hasSound) playOnce();
      const isInFront = !document.hidden && document.hasFocus();
      if (!hasDesktop || permission !== "granted" || isInFront) return;
      for (const notice of unviewed) notify(notice, onOpen);
    },
    [openId, onOpen, permission, hasSound, hasDesktop],
  );
  const alert = useCallback(
    (rows: InboxRow[]) =>
      announce(rows.map(({ sessionId, userName, lastMessage }) => ({ sessionId, title: userName, body: lastMessage }))),
    [announce],
  );
  const alertMentions = useCallback(
    (mentions: Mention[]) =>
      announce(
        mentions.map(({ sessionId, authorName, userName }) => ({
          sessionId,
          title: `${authorName} mentioned you`,
          body: `In a note on the conversation with ${userName}`,
        })),
      ),
    [announce],
  );
  return { alert, alertMentions, permission, ask };
}

type Announcement = { sessionId: string; title: string; body: string };

/** Shows one notification per conversation, however many windows are open: the tag replaces an earlier one. */
function notify({ sessionId, title, body }: Announcement, onOpen: (sessionId: string) => void): void {
  const shown = new Notification(title, { body, tag: sessionId });
  shown.addEventListener("click", () => {
    window.focus();
    onOpen(sessionId);
    shown.close();
  });
}

function useDesktopPermission(): [DesktopPermission, () => void] {
  const [, setAsked] = useState(0);
  const permission = useSyncExternalStore<DesktopPermission>(
    subscribeToNothing,
    () => ("Notification" in window ? Notification.permission : "unsupported"),
    () => "unsupported",
  );
  const ask = () => Notification.requestPermission().then(() => setAsked((times) => times + 1));
  return [permission, ask];
}

function subscribeToNothing(): () => void {
  return () => {};
}
