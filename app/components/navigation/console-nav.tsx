import type { ReactNode } from "react";
import { type StripTab, TabStrip } from "./tab-strip.tsx";

/** The parts of the console that the role may use. Only admins manage money, settings and people. */
export function consolePages(role: "agent" | "admin") {
  return [
    ...(role === "admin" ? [{ to: "/admin/today", label: "Today" }] : []),
    { to: "/admin", label: "Conversations" },
    { to: "/admin/orders", label: "Orders" },
    { to: "/admin/replies", label: "Replies" },
    ...(role === "admin"
      ? [
          { to: "/admin/services", label: "Services" },
          { to: "/admin/providers", label: "Providers" },
          { to: "/admin/customers", label: "Customers" },
          { to: "/admin/payments", label: "Payments" },
          { to: "/admin/codes", label: "Codes" },
          { to: "/admin/tiers", label: "Tiers" },
          { to: "/admin/emails", label: "Emails" },
          { to: "/admin/reports", label: "Reports" },
          { to: "/admin/settings", label: "Settings" },
          { to: "/admin/audit", label: "Audit log" },
          { to: "/admin/system", label: "System" },
        ]
      : []),
  ];
}

/** Pages below those, which only the command palette lists. */
export function consoleSubpages(role: "agent" | "admin") {
  return [
    { to: "/admin/orders/requests", label: "Refills and cancellations" },
    ...(role === "admin"
      ? [
          { to: "/admin/providers/quarantine", label: "Quarantine of catalog changes" },
          { to: "/admin/announcements", label: "Announcements" },
          { to: "/admin/reports/support", label: "Support report" },
          { to: "/admin/percent-codes", label: "Percent codes" },
        ]
      : []),
  ];
}

/** The reports of the console, as tabs of one page. */
export function reportTabs(current: "orders" | "support") {
  return [
    { to: "/admin/reports", label: "Orders", current: current === "orders" },
    { to: "/admin/reports/support", label: "Support", current: current === "support" },
  ];
}

export function ConsoleNav({
  role,
  waiting,
  tool,
}: {
  role: "agent" | "admin";
  /** The number of items waiting for staff. */
  waiting: Record<"held" | "refills" | "cancellations" | "payments" | "catalog", number>;
  /** Stands at the end and does not scroll with the tabs. */
  tool: ReactNode;
}) {
  const { held, refills, cancellations, payments, catalog } = waiting;
  const counts: Record<string, number> = {
    "/admin/orders": held + refills + cancellations,
    "/admin/payments": payments,
    "/admin/providers": catalog,
  };
  const tabs: StripTab[] = consolePages(role).map((page) => ({ ...page, waiting: counts[page.to] }));
  return (
    <div className="border-b border-line">
      <div className="mx-auto flex max-w-6xl items-center pr-1 sm:pr-4">
        <nav aria-label="Console" className="min-w-0 flex-1">
          <TabStrip tabs={tabs} className="px-1 sm:px-3" />
        </nav>
        {tool}
      </div>
    </div>
  );
}
