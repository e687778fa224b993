import { Link, useLocation } from "@remix-run/react";
import { currentTab } from "./current-tab.ts";
import { useCurrentInView } from "./use-current-in-view.ts";

export type StripTab = { to: string; label: string; waiting?: number | undefined };

/**
 * Tabs for the pages of one part of the product. On a phone they don't all fit, so the strip scrolls to the current
 * one.
 */
export function TabStrip({
  tabs,
  label,
  current: known,
  className = "",
}: {
  tabs: StripTab[];
  /** Name of the list, if a page has several. */
  label?: string;
  /** The path of the current tab, or null; by default the one whose path the page's begins with. */
  current?: string | null;
  className?: string;
}) {
  const { pathname } = useLocation();
  const current = known === undefined ? currentTab(tabs, pathname) : known;
  const strip = useCurrentInView<HTMLUListElement>(current);
  return (
    <ul ref={strip} aria-label={label} className={`relative flex overflow-x-auto [scrollbar-width:none] ${className}`}>
      {tabs.map(({ to, label, waiting }) => (
        <li key={to} className="flex h-12">
          <Link
            to={to}
            aria-current={to !== current ? undefined : to === pathname ? "page" : "true"}
            className="inline-flex items-center gap-1.5 border-b-2 border-transparent px-3 text-sm whitespace-nowrap text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current]:border-accent aria-[current]:text-text"
          >
            {label}
            <WaitingCount count={waiting} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** How many items wait behind a link. */
export function WaitingCount({ count }: { count: number | undefined }) {
  if (!count) return null;
  return (
    <span className="tabular rounded-full bg-warn-wash px-1.5 text-xs text-warn">
      {count > 99 ? "99+" : count}
      <span className="sr-only"> waiting</span>
    </span>
  );
}
