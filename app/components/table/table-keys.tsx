import Keyboard from "lucide-react/icons/keyboard";
import { type RefObject, useEffect, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog, DialogActions } from "#app/components/ui/dialog.tsx";

const KEYS = [
  { keys: "j or ↓", does: "Next row" },
  { keys: "k or ↑", does: "Previous row" },
  { keys: "Enter", does: "Open the row" },
  { keys: "x", does: "Select the row", onlySelecting: true },
  { keys: "/", does: "Search" },
  { keys: "Ctrl K", does: "Find or do anything (⌘K on a Mac)" },
  { keys: "?", does: "Show shortcuts" },
];

/** The shortcuts of the list in `box`, and the button that lists them. Of several lists, the one with the focus acts. */
export function TableKeys({ box, selects }: { box: RefObject<HTMLElement>; selects: boolean }) {
  const [isHelpOpen, setIsHelpOpen] = useState(false);

  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
      if (isTyping(event.target) || document.querySelector("[role=dialog]")) return;
      if (activeBox() !== box.current) return;
      if (!act(event, box.current)) return;
      event.preventDefault();
    }
    function act({ key, repeat }: KeyboardEvent, list: HTMLElement | null): boolean {
      const isInside = list?.contains(document.activeElement) ?? false;
      if (key === "j" || (key === "ArrowDown" && isInside)) return moveBy(list, 1);
      if (key === "k" || (key === "ArrowUp" && isInside)) return moveBy(list, -1);
      if (repeat) return false;
      if (key === "x" && selects) return toggleRow();
      if (key === "/") return focusSearch();
      if (key !== "?") return false;
      setIsHelpOpen(true);
      return true;
    }
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [box, selects]);

  return (
    <>
      <Button
        variant="quiet"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts (?)"
        onClick={() => setIsHelpOpen(true)}
        className="w-9 px-0 max-md:hidden noscript:hidden"
      >
        <Keyboard aria-hidden className="size-4" />
      </Button>
      <Dialog open={isHelpOpen} onOpenChange={setIsHelpOpen} title="Keyboard shortcuts">
        <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
          {KEYS.filter(({ onlySelecting }) => selects || !onlySelecting).map(({ keys, does }) => (
            <div key={keys} className="contents">
              <dt>
                <kbd className="rounded border border-line px-1.5 font-mono text-xs">{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <div className="mt-5">
          <DialogActions>
            <Button variant="secondary" onClick={() => setIsHelpOpen(false)}>
              Close
            </Button>
          </DialogActions>
        </div>
      </Dialog>
    </>
  );
}

/** Returns the list with the focus, or the page's first one. */
function activeBox(): Element | null {
  return document.activeElement?.closest("[data-table-box]") ?? document.querySelector("[data-table-box]");
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")
  );
}

/** Moves the focus by one row, to its link if it has one. Without a row that has it, to the first one. */
function moveBy(list: HTMLElement | null, step: 1 | -1): boolean {
  const rows = [...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const row = rows[current === -1 ? 0 : Math.min(Math.max(current + step, 0), rows.length - 1)];
  if (!row) return false;
  (row.querySelector<HTMLElement>("[data-row-link]") ?? row).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
  return true;
}

function toggleRow(): boolean {
  const row = document.activeElement?.closest("[data-row]");
  row?.querySelector<HTMLElement>("[data-row-box]")?.click();
  return row !== null;
}

function focusSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>("main [role=search] input[name=q]");
  search?.focus();
  search?.select();
  return search !== null;
}
