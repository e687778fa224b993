import { useEffect, useRef } from "react";

/** What each key does in the console, for the help sheet too. */
export const SHORTCUTS = [
  { keys: "j", does: "Next conversation in the list" },
  { keys: "k", does: "Previous conversation in the list" },
  { keys: "u", does: "Next unread conversation" },
  { keys: "Enter", does: "Open it; in the answer: send" },
  { keys: "r", does: "Write an answer" },
  { keys: "n", does: "Write a note for the team" },
  { keys: "/", does: "Search; at the start of an answer: canned replies" },
  { keys: "a", does: "Assign it to me" },
  { keys: "e", does: "Close it, or open it again" },
  { keys: "i", does: "Show or hide the details" },
  { keys: "1 – 4", does: "Open, mine, unassigned, closed" },
  { keys: "Esc", does: "Leave the field, so that these keys work" },
  { keys: "?", does: "This sheet" },
] as const;

/** Calls what belongs to the key, unless somebody is typing or a dialog is open. */
export function useShortcuts(actions: Record<string, () => void>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("[role=dialog]")) return;
      const action = current.current[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
