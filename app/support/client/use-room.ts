import { useEffect, useState, useSyncExternalStore } from "react";
import type { Side } from "#app/support/protocol/frames.ts";
import { openRoom, type RoomClient } from "./room-client.ts";
import type { RoomState } from "./room-state.ts";

const MARK_AFTER_MS = 100;

/** Connects to the room of the session. Returns null until the first render in the browser. */
export function useRoom(
  sessionId: string | null,
  side: Side,
  name: string,
  onOtherFrame?: (text: string) => void,
): { room: RoomClient; state: RoomState } | null {
  const [room, setRoom] = useState<RoomClient | null>(null);
  useEffect(() => {
    if (sessionId === null) return;
    const opened = openRoom(sessionId, { side, name }, onOtherFrame);
    setRoom(opened);
    return () => {
      opened.close();
      setRoom(null);
    };
  }, [sessionId, side, name, onOtherFrame]);
  const state = useSyncExternalStore<RoomState | null>(
    room?.subscribe ?? subscribeToNothing,
    () => room?.getState() ?? null,
    () => null,
  );
  return room && state ? { room, state } : null;
}

/** Marks messages as read while they are shown and the page is visible. */
export function useReadWhileSeen(room: RoomClient | null, isShown: boolean, unread: number): void {
  useEffect(() => {
    if (!room || !isShown || unread === 0) return;
    const mark = () => {
      if (document.visibilityState === "visible") room.markRead();
    };
    // One frame for a burst of messages: the room limits frames per socket.
    const timer = setTimeout(mark, MARK_AFTER_MS);
    document.addEventListener("visibilitychange", mark);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", mark);
    };
  }, [room, isShown, unread]);
}

function subscribeToNothing(): () => void {
  return () => {};
}
