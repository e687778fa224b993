import { Link } from "@remix-run/react";
import { Money } from "#app/components/formats/money-amount.tsx";
import { DASHBOARD_PAGES } from "./dashboard-pages.ts";
import { TabStrip } from "./tab-strip.tsx";

/** The tabs above each page of a customer's dashboard, with the balance. */
export function DashboardNav({
  wallet: { balance, owed, isLow },
}: {
  /** Micro-units. */
  wallet: { balance: number; owed: number; isLow: boolean };
}) {
  return (
    <div className="border-b border-line print:hidden">
      <nav aria-label="Dashboard" className="mx-auto flex max-w-6xl items-center gap-4 px-4 sm:px-6">
        <TabStrip tabs={DASHBOARD_PAGES} className="-mx-3 -mb-px min-w-0 flex-1" />
        <Link
          to="/dashboard/transactions"
          className="flex h-12 shrink-0 items-center gap-2 border-l border-line pl-4 text-sm whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2"
        >
          <span className="sr-only sm:not-sr-only">Balance</span>
          <span className={`tabular font-medium ${isLow || owed > 0 ? "text-warn" : "text-text"}`}>
            <Money micro={balance} />
          </span>
        </Link>
      </nav>
    </div>
  );
}
