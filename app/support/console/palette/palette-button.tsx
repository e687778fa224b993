import Command from "lucide-react/icons/command";
import { Button } from "#app/components/ui/button.tsx";

/** Sent to the document to open the palette of the page. */
export const OPEN_PALETTE = "growline:open-palette";

/** Opens the command palette for those who have no keyboard, or don't know its key. */
export function PaletteButton({ className = "" }: { className?: string }) {
  return (
    <Button
      variant="quiet"
      aria-label="Command palette"
      title="Command palette (Ctrl+K or Cmd+K)"
      onClick={() => document.dispatchEvent(new Event(OPEN_PALETTE))}
      className={`w-11 shrink-0 px-0 sm:w-9 ${className}`}
    >
      <Command aria-hidden className="size-4" />
    </Button>
  );
}
