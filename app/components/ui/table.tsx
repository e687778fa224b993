import { useLocation, useNavigation } from "@remix-run/react";
import type { ComponentProps, ReactNode } from "react";

/**
 * A table that scrolls sideways if it does not fit. With `cards`, its rows become cards below 1,024 px: see `row-cards`. The container takes focus, so that a keyboard can scroll it. While a
 * filter, a search or another page of the same list loads, it shows placeholder rows.
 */
export function Table({
  label,
  head,
  cards = false,
  children,
}: {
  label: string;
  head: ReactNode;
  cards?: boolean;
  children: ReactNode;
}) {
  const isLoading = useIsListLoading();
  return (
    // A group, not a landmark: the card around it is already one.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls
    <div
      role="group"
      aria-label={label}
      aria-busy={isLoading || undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto focus-visible:-outline-offset-2"
    >
      <table className={`w-full border-collapse text-left text-sm ${cards ? "row-cards" : ""}`}>
        <thead className="text-muted">
          <tr className="border-b border-line">{head}</tr>
        </thead>
        <tbody className={`divide-y divide-line ${isLoading ? "skeleton-cells" : ""}`}>{children}</tbody>
      </table>
    </div>
  );
}

/** Returns whether a filter, a search or another page of the list on this page loads. */
export function useIsListLoading(): boolean {
  const { pathname } = useLocation();
  const { state, location, formMethod = "GET" } = useNavigation();
  return state === "loading" && location.pathname === pathname && formMethod === "GET";
}

export function Th({ numeric = false, className = "", ...rest }: ComponentProps<"th"> & { numeric?: boolean }) {
  const align = numeric ? "text-right" : "";
  return <th scope="col" {...rest} className={`table-padding font-medium whitespace-nowrap ${align} ${className}`} />;
}

export function Td({ numeric = false, className = "", ...rest }: ComponentProps<"td"> & { numeric?: boolean }) {
  const align = numeric ? "text-right whitespace-nowrap" : "";
  return <td {...rest} className={`table-padding ${align} ${className}`} />;
}
