import type { ReactNode } from "react";

/** Actions for the selected rows: at the end of the list, and of the window while the list goes on below it. */
export function SelectionBar({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  return (
    <div
      role="status"
      data-selection-bar={isShown || undefined}
      className={
        isShown
          ? "sticky bottom-0 z-10 flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 rounded-b-md border-t border-line bg-raised px-4 py-2 text-sm sm:px-5 print:hidden"
          : ""
      }
    >
      {isShown && children}
    </div>
  );
}
