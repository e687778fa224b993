import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import type { KeyboardEvent } from "react";
import { useCopy } from "#app/components/ui/use-copy.ts";
import { ownValue } from "#app/own-value.ts";

/**
 * Copies a message. A thread has one tab stop for all its copy buttons, at the last one (`isStop`), and the arrow keys move
 * between them.
 */
export function CopyMessage({ text, isStop }: { text: string; isStop: boolean }) {
  const { copied, copy } = useCopy(text);
  const Icon = copied ? Check : Copy;

  return (
    <button
      type="button"
      data-copy
      tabIndex={isStop ? 0 : -1}
      aria-label={copied ? "Copied" : "Copy message"}
      onClick={copy}
      onKeyDown={moveFocus}
      className="relative mx-1.5 inline-flex align-middle opacity-0 transition-opacity group-hover/bubble:opacity-100 before:absolute before:-inset-2 hover:text-text focus-visible:opacity-100 pointer-coarse:opacity-100 pointer-coarse:before:-inset-4"
    >
      <Icon aria-hidden className="size-3.5" />
    </button>
  );
}

function moveFocus(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = ownValue({ ArrowUp: -1, ArrowDown: 1 }, event.key);
  if (step === undefined) return;
  // Not a scroll of the thread.
  event.preventDefault();
  const thread = event.currentTarget.closest("[role=log]");
  const buttons = [...(thread?.querySelectorAll<HTMLElement>("[data-copy]") ?? [])];
  buttons[buttons.indexOf(event.currentTarget) + step]?.focus();
}
