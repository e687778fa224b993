import { useCallback, useState, useSyncExternalStore } from "react";
import type { InboxRow } from "#app/support/inbox/inbox-view.ts";
import { useNotice } from "#app/support/thread/notice-settings.ts";
import { playOnce } from "#app/support/thread/use-sound.ts";
import { viewedConversations } from "./viewing-lock.ts";

/** `unsupported`: this browser has no notifications. */
export type DesktopPermission = NotificationPermission | "unsupported";

/**
 * Alerts an agent to new messages: by sound, and by a desktop notification while this window is not in front. Skips
 * conversations that the agent is viewing in any tab.
 */
export function useAlerts(openId: string | undefined, onOpen: (sessionId: string) => void) {
  const hasSound = useNotice("sound");
  const hasDesktop = useNotice("desktop");
  const [permission, ask] = useDesktopPermission();
  const alert = useCallback(
    async (rows: InboxRow[]) => {
      const viewed = await viewedConversations();
      if (openId !== undefined && !document.hidden) viewed.add(openId);
      const unviewed = rows.filter(({ sessionId }) => !viewed.has(sessionId));
      if (unviewed.length === 0) return;
      if (hasSound) playOnce();
      const isInFront = !document.hidden && document.hasFocus();
      if (!hasDesktop || permission !== "granted" || isInFront) return;
      for (const row of unviewed) notify(row, onOpen);
    },
    [openId, onOpen, permission, hasSound, hasDesktop],
  );
  return { alert, permission, ask };
}

/** Shows one notification per conversation, however many windows are open: the tag replaces an earlier one. */
function notify(row: InboxRow, onOpen: (sessionId: string) => void): void {
  const shown = new Notification(row.userName, { body: row.lastMessage, tag: row.sessionId });
  shown.addEventListener("click", () => {
    window.focus();
    onOpen(row.sessionId);
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
