import { useCallback, useEffect, useState, useSyncExternalStore } from "react";
import { badgeText } from "../badge-text.ts";
import type { InboxRow } from "../inbox-view.ts";
import { playOnce, useNoticesSetting } from "../use-notices.ts";

/** `unsupported`: this browser has no notifications. */
export type DesktopPermission = NotificationPermission | "unsupported";

/** How an agent hears of a new message: by sound, by a desktop notification while the page is hidden, in the title. */
export function useAlerts(openId: string | undefined, onOpen: (sessionId: string) => void) {
  const sound = useNoticesSettingAfterMount();
  const [permission, ask] = useDesktopPermission();
  const alert = useCallback(
    (rows: InboxRow[]) => {
      const unseen = rows.filter((row) => document.hidden || row.sessionId !== openId);
      if (unseen.length === 0) return;
      if (sound.isOn) playOnce();
      if (permission !== "granted" || !document.hidden) return;
      for (const row of unseen) notify(row, onOpen);
    },
    [openId, onOpen, permission, sound.isOn],
  );
  return { alert, permission, ask, sound };
}

/** One for each conversation, however many windows are open: the tag makes the second one replace the first. */
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

/** The setting is in storage, which the server has not got. */
function useNoticesSettingAfterMount() {
  const [mounted, setMounted] = useState(false);
  useEffect(() => setMounted(true), []);
  const setting = useNoticesSetting();
  return { ...setting, isOn: mounted && setting.isOn };
}

/** Before the title of whichever page of the console is open. */
export function useUnreadTitle(unread: number, page: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another title
  useEffect(() => {
    if (unread === 0) return;
    const title = document.title;
    const counted = `(${badgeText(unread)}) ${title}`;
    document.title = counted;
    return () => {
      if (document.title === counted) document.title = title;
    };
  }, [unread, page]);
}

function subscribeToNothing(): () => void {
  return () => {};
}
