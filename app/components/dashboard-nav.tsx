import { Link, NavLink, useLocation } from "@remix-run/react";
import { useEffect, useRef } from "react";

const PAGES = [
  { to: "/dashboard", label: "Overview", end: true },
  { to: "/dashboard/orders", label: "Orders", end: true },
  { to: "/dashboard/orders/mass", label: "Mass order", end: false },
  { to: "/dashboard/transactions", label: "Transactions", end: false },
  { to: "/dashboard/api", label: "API", end: false },
  { to: "/upload", label: "Files", end: false },
  { to: "/dashboard/top-up", label: "Top up", end: false },
  { to: "/gmail-sync", label: "Mail", end: false },
  { to: "/dashboard/account", label: "Account", end: false },
];

/** Above each page of a customer: where they are, and the balance, as text. */
export function DashboardNav({ balance, isLow }: { balance: string; isLow: boolean }) {
  const { pathname } = useLocation();
  const tabs = useRef<HTMLDivElement>(null);
  // On a phone not all of them fit: the current one is to be seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another tab
  useEffect(() => {
    const box = tabs.current;
    const tab = box?.querySelector<HTMLElement>("[aria-current=page]");
    if (box && tab) box.scrollLeft = tab.offsetLeft - (box.clientWidth - tab.offsetWidth) / 2;
  }, [pathname]);
  return (
    <div className="border-b border-line print:hidden">
      <nav aria-label="Dashboard" className="mx-auto flex max-w-6xl items-center gap-4 px-4 sm:px-6">
        <div ref={tabs} className="-mx-3 relative flex min-w-0 flex-1 overflow-x-auto">
          {PAGES.map(({ to, label, end }) => (
            <NavLink
              key={to}
              to={to}
              end={end}
              className="-mb-px flex h-12 items-center border-b-2 border-transparent px-3 text-sm whitespace-nowrap text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-text"
            >
              {label}
            </NavLink>
          ))}
        </div>
        <Link
          to="/dashboard/transactions"
          className="flex h-12 shrink-0 items-center gap-2 border-l border-line pl-4 text-sm whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2"
        >
          <span className="sr-only sm:not-sr-only">Balance</span>
          <span className={`tabular font-medium ${isLow ? "text-warn" : "text-text"}`}>{balance}</span>
        </Link>
      </nav>
    </div>
  );
}
