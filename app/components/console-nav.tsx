import { NavLink } from "@remix-run/react";

type Item = { to: string; label: string; end?: boolean; waiting?: number | undefined };

/** The parts of the console that this person may use. An agent reads orders; money, settings and people are the admin's. */
export function ConsoleNav({
  role,
  waiting,
}: {
  role: "agent" | "admin";
  waiting?: { orders: number; payments?: number } | undefined;
}) {
  const items: Item[] = [
    { to: "/admin", label: "Conversations", end: true },
    { to: "/admin/orders", label: "Orders", waiting: waiting?.orders },
    { to: "/admin/replies", label: "Replies" },
    ...(role === "admin"
      ? [
          { to: "/admin/services", label: "Services" },
          { to: "/admin/providers", label: "Providers" },
          { to: "/admin/customers", label: "Customers" },
          { to: "/admin/payments", label: "Payments", waiting: waiting?.payments },
          { to: "/admin/codes", label: "Codes" },
          { to: "/admin/reports", label: "Reports" },
          { to: "/admin/settings", label: "Settings" },
          { to: "/admin/audit", label: "Audit log" },
        ]
      : []),
  ];
  return (
    <nav aria-label="Console" className="relative overflow-x-auto border-b border-line">
      <ul className="mx-auto flex h-12 max-w-6xl items-stretch gap-1 px-2 sm:px-4">
        {items.map(({ to, label, end = false, waiting: count }) => (
          <li key={to} className="flex">
            <NavLink
              to={to}
              end={end}
              className="inline-flex items-center gap-1.5 border-b-2 border-transparent px-2 text-sm whitespace-nowrap text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-text"
            >
              {label}
              {count ? (
                <span className="tabular rounded-full bg-warn-wash px-1.5 text-xs text-warn">
                  {count > 99 ? "99+" : count}
                  <span className="sr-only"> waiting</span>
                </span>
              ) : null}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
