import { useEffect, useRef, useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import type { CommandPalette, PaletteProps } from "./command-palette.tsx";
import { OPEN_PALETTE } from "./palette-button.tsx";
import type { Command } from "./palette-commands.ts";

/** Opens the command palette on Ctrl+K or Cmd+K, or by its button. Its script is loaded when it first opens. */
export function PaletteLoader({
  pages,
  actions = () => [],
}: {
  pages: PaletteProps["pages"];
  /** Returns what can be done with what is open on the page. */
  actions?: () => Command[];
}) {
  const [Palette, setPalette] = useState<typeof CommandPalette | null>(null);
  const [open, setOpen] = useState(false);
  const isLoading = useRef(false);

  useEffect(() => {
    async function load(): Promise<void> {
      if (isLoading.current) return;
      isLoading.current = true;
      try {
        const { CommandPalette: loaded } = await import("./command-palette.tsx");
        setPalette(() => loaded);
        setOpen(true);
      } catch {
        toast.error("We couldn't load this dialog. Check your connection and try again.");
      }
      isLoading.current = false;
    }
    function show(): void {
      if (Palette) setOpen(true);
      else void load();
    }
    function onKeyDown(event: KeyboardEvent): void {
      if (!isPaletteKey(event) || event.defaultPrevented || event.repeat) return;
      if (document.querySelector("[role=dialog]")) return;
      event.preventDefault();
      show();
    }
    document.addEventListener("keydown", onKeyDown);
    document.addEventListener(OPEN_PALETTE, show);
    return () => {
      document.removeEventListener("keydown", onKeyDown);
      document.removeEventListener(OPEN_PALETTE, show);
    };
  }, [Palette]);

  return Palette && <Palette pages={pages} open={open} onOpenChange={setOpen} actions={open ? actions() : []} />;
}

/** On a Mac, Ctrl+K deletes to the end of the line. */
function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  return key.toLowerCase() === "k" && !altKey && !shiftKey && (isMac ? metaKey && !ctrlKey : ctrlKey && !metaKey);
}
