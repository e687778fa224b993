import { useEffect, useState, useSyncExternalStore } from "react";
import type { Side } from "#app/support/protocol/frames.ts";
import { openRoom, type RoomClient, type RoomState } from "./room-client.ts";

const MARK_AFTER_MS = 100;

/** Null until the room is being talked to, which is never on the server. */
export function useRoom(
  sessionId: string | null,
  side: Side,
  name: string,
  onOther?: (text: string) => void,
): { room: RoomClient; state: RoomState } | null {
  const [room, setRoom] = useState<RoomClient | null>(null);
  useEffect(() => {
    if (sessionId === null) return;
    const opened = openRoom(sessionId, { side, name }, onOther);
    setRoom(opened);
    return () => {
      opened.close();
      setRoom(null);
    };
  }, [sessionId, side, name, onOther]);
  const state = useSyncExternalStore<RoomState | null>(
    room?.subscribe ?? subscribeToNothing,
    () => room?.getState() ?? null,
    () => null,
  );
  return room && state ? { room, state } : null;
}

/** Marks what is shown as read while the page is in front of somebody. */
export function useReadWhileSeen(room: RoomClient | null, seen: boolean, unread: number, connection: string): void {
  useEffect(() => {
    if (!room || !seen || unread === 0 || (connection !== "live" && connection !== "polling")) return;
    const mark = () => {
      if (document.visibilityState === "visible") room.markRead();
    };
    // Not for each message of a long thread as it comes: the room takes so many frames at once and refuses the rest.
    const timer = setTimeout(mark, MARK_AFTER_MS);
    document.addEventListener("visibilitychange", mark);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", mark);
    };
  }, [room, seen, unread, connection]);
}

function subscribeToNothing(): () => void {
  return () => {};
}
