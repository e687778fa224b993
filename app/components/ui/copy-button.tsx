import Check from "lucide-react/icons/check";
import Copy from "lucide-react/icons/copy";
import { Button } from "./button.tsx";
import { useCopy } from "./use-copy.ts";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const { copied, copy } = useCopy(text);
  const Icon = copied ? Check : Copy;

  return (
    <Button variant="secondary" onClick={copy} className="noscript:hidden">
      <Icon aria-hidden className="size-4" />
      <span aria-live="polite">{copied ? "Copied" : label}</span>
    </Button>
  );
}
