import { Sheet, type SheetProps } from "./console-sheet.tsx";
import { SHORTCUTS } from "./use-shortcuts.ts";

export function HelpSheet(props: SheetProps) {
  return (
    <Sheet {...props} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line px-1.5 font-mono text-xs">{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Sheet>
  );
}
