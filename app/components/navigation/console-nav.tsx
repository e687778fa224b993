import { type StripTab, TabStrip } from "./tab-strip.tsx";

/** Links to the parts of the console that the role may use. Only admins manage money, settings and people. */
export function ConsoleNav({
  role,
  waiting,
}: {
  role: "agent" | "admin";
  /** The number of items waiting for staff. */
  waiting: Record<"held" | "refills" | "cancellations" | "payments", number>;
}) {
  const { held, refills, cancellations, payments } = waiting;
  const tabs: StripTab[] = [
    { to: "/admin", label: "Conversations" },
    { to: "/admin/orders", label: "Orders", waiting: held + refills + cancellations },
    { to: "/admin/replies", label: "Replies" },
    ...(role === "admin"
      ? [
          { to: "/admin/services", label: "Services" },
          { to: "/admin/providers", label: "Providers" },
          { to: "/admin/customers", label: "Customers" },
          { to: "/admin/payments", label: "Payments", waiting: payments },
          { to: "/admin/codes", label: "Codes" },
          { to: "/admin/emails", label: "Emails" },
          { to: "/admin/reports", label: "Reports" },
          { to: "/admin/settings", label: "Settings" },
          { to: "/admin/audit", label: "Audit log" },
        ]
      : []),
  ];
  return (
    <nav aria-label="Console" className="border-b border-line">
      <TabStrip tabs={tabs} className="mx-auto max-w-6xl px-1 sm:px-3" />
    </nav>
  );
}
