import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "./button.tsx";

const SAID_MS = 2000;

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const Icon = copied ? Check : Copy;

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      toast.error("Your browser blocked copying. Select the text and copy it manually.");
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  }

  return (
    <Button variant="secondary" onClick={copy} className="noscript:hidden">
      <Icon aria-hidden className="size-4" />
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}
