import { useEffect, useRef } from "react";
import { ownValue } from "#app/own-value.ts";

/** The console's keyboard shortcuts, as the help sheet lists them. */
export const SHORTCUTS = [
  { keys: "j", does: "Next conversation in the list" },
  { keys: "k", does: "Previous conversation in the list" },
  { keys: "u", does: "Next unread conversation" },
  { keys: "Enter", does: "Open conversation; in a reply: send" },
  { keys: "r", does: "Write a reply" },
  { keys: "n", does: "Write a team note" },
  { keys: "/", does: "Search; at the start of a reply: saved replies" },
  { keys: "a", does: "Assign to me" },
  { keys: "e", does: "Close and go on to the next one, or reopen" },
  { keys: "s", does: "Choose how long to snooze" },
  { keys: "m", does: "Show your mentions; in a note, “@” mentions a teammate" },
  { keys: "i", does: "Show or hide details" },
  { keys: "1 – 5", does: "Switch to Open, Mine, Unassigned, Closed or Snoozed" },
  { keys: "Esc", does: "Return to the messages, where shortcuts work" },
  { keys: "Ctrl K", does: "Find or do anything (⌘K on a Mac)" },
  { keys: "?", does: "Show shortcuts" },
] as const;

/** Keys that repeat while they are held. Any other would act again on what its first press has brought up. */
const REPEATING = new Set(["j", "k"]);

/** Runs the action for the pressed key, unless a field has the focus or a dialog is open. */
export function useShortcuts(actions: Record<string, () => void>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("[role=dialog]")) return;
      const action = ownValue(current.current, event.key);
      if (!action) return;
      event.preventDefault();
      if (!event.repeat || REPEATING.has(event.key)) action();
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
