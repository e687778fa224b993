import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useState } from "react";
import type { Entry } from "./thread-entries.ts";

/** A thread of so many entries is in the page whole, so that the browser's search and printing find all of it. */
const WHOLE_MAX = 120;
const OVERSCAN_ROWS = 10;
/** Height of a row that has not been measured: a message of one line. */
const ROW_PX = 84;
/** The gap between rows and the padding of the log. */
const GAP_PX = 12;
const PADDING_PX = 16;
/** Place above the first row for what is said about earlier messages. */
export const EARLIER_PX = 56;

/** Renders the visible rows of a long thread only, and the row with the focus. Rows above may come and change their size. */
export function useThreadRows(log: RefObject<HTMLDivElement>, entries: Entry[], hasEarlier: boolean) {
  const [focused, setFocused] = useState<string | null>(null);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => log.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: entries.length <= WHOLE_MAX ? WHOLE_MAX : OVERSCAN_ROWS,
    rangeExtractor(range) {
      const shown = defaultRangeExtractor(range);
      const kept = focused === null ? -1 : entries.findIndex(({ key }) => key === focused);
      return kept < 0 || shown.includes(kept) ? shown : [...shown, kept].sort((one, other) => one - other);
    },
    gap: GAP_PX,
    scrollMargin: PADDING_PX,
    paddingStart: hasEarlier ? EARLIER_PX : 0,
    // Keeps what is read in its place when earlier rows are added.
    anchorTo: "end",
  });
  return { rows, setFocused };
}

export type ThreadRows = ReturnType<typeof useThreadRows>["rows"];
