import Smile from "lucide-react/icons/smile";
import { type RefObject, useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import type { EmojiPicker } from "./emoji-picker.tsx";

/** Opens the emoji picker above the form, which is positioned. Its script and list are loaded when it first opens. */
export function EmojiButton({ field }: { field: RefObject<HTMLTextAreaElement> }) {
  const [Picker, setPicker] = useState<typeof EmojiPicker | null>(null);
  const [isOpen, setOpen] = useState(false);

  async function toggle(): Promise<void> {
    try {
      const loaded = Picker ?? (await import("./emoji-picker.tsx")).EmojiPicker;
      setPicker(() => loaded);
      setOpen(!isOpen);
    } catch {
      toast.error("We couldn't load the emoji. Check your connection and try again.");
    }
  }

  function close(): void {
    setOpen(false);
    field.current?.focus();
  }

  return (
    <>
      <Button
        variant="quiet"
        aria-label="Emoji"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={toggle}
        className="w-11 shrink-0 px-0 sm:h-10 sm:w-10"
      >
        <Smile aria-hidden className="size-5" />
      </Button>
      {Picker && isOpen && <Picker field={field} onClose={close} onLeave={() => setOpen(false)} />}
    </>
  );
}
