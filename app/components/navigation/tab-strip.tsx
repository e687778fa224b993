import { Link, useLocation } from "@remix-run/react";
import { currentTab } from "./current-tab.ts";
import { useCurrentInView } from "./use-current-in-view.ts";

export type StripTab = { to: string; label: string; waiting?: number | undefined };

/**
 * Tabs for the pages of one part of the product. On a phone they don't all fit, so the strip scrolls to the current
 * one.
 */
export function TabStrip({ tabs, className = "" }: { tabs: StripTab[]; className?: string }) {
  const { pathname } = useLocation();
  const current = currentTab(tabs, pathname);
  const strip = useCurrentInView<HTMLUListElement>(current);
  return (
    <ul ref={strip} className={`relative flex overflow-x-auto [scrollbar-width:none] ${className}`}>
      {tabs.map(({ to, label, waiting }) => (
        <li key={to} className="flex">
          <Link
            to={to}
            aria-current={to !== current ? undefined : to === pathname ? "page" : "true"}
            className="inline-flex h-12 items-center gap-1.5 border-b-2 border-transparent px-3 text-sm whitespace-nowrap text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current]:border-accent aria-[current]:text-text"
          >
            {label}
            {waiting ? (
              <span className="tabular rounded-full bg-warn-wash px-1.5 text-xs text-warn">
                {waiting > 99 ? "99+" : waiting}
                <span className="sr-only"> waiting</span>
              </span>
            ) : null}
          </Link>
        </li>
      ))}
    </ul>
  );
}
