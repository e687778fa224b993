import { useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";

const SAID_MS = 2000;

/** Copies a text to the clipboard. `copied` stays true for two seconds; a browser that forbids it gets a toast. */
export function useCopy(text: string): { copied: boolean; copy: () => Promise<void> } {
  const [copied, setCopied] = useState(false);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      toast.error("Your browser blocked copying. Select the text and copy it manually.");
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  }

  return { copied, copy };
}
