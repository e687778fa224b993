import { Link, useLocation } from "@remix-run/react";
import { useEffect, useRef } from "react";

type Item = { to: string; label: string; waiting?: number | undefined };

/** The parts of the console that this person may use. An agent reads orders; money, settings and people are the admin's. */
export function ConsoleNav({ role, waiting }: { role: "agent" | "admin"; waiting?: { orders: number } | undefined }) {
  const items: Item[] = [
    { to: "/admin", label: "Conversations" },
    { to: "/admin/orders", label: "Orders", waiting: waiting?.orders },
    { to: "/admin/replies", label: "Replies" },
    ...(role === "admin"
      ? [
          { to: "/admin/services", label: "Services" },
          { to: "/admin/providers", label: "Providers" },
          { to: "/admin/customers", label: "Customers" },
          { to: "/admin/codes", label: "Codes" },
          { to: "/admin/reports", label: "Reports" },
          { to: "/admin/settings", label: "Settings" },
          { to: "/admin/audit", label: "Audit log" },
        ]
      : []),
  ];
  const { pathname } = useLocation();
  const box = useRef<HTMLElement>(null);
  // On a phone not all of them fit: the current one is to be seen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another tab
  useEffect(() => {
    const nav = box.current;
    const tab = nav?.querySelector<HTMLElement>("[aria-current=page]");
    if (nav && tab) nav.scrollLeft = tab.offsetLeft - (nav.clientWidth - tab.offsetWidth) / 2;
  }, [pathname]);
  return (
    <nav ref={box} aria-label="Console" className="relative overflow-x-auto border-b border-line">
      <ul className="mx-auto flex h-12 max-w-6xl items-stretch gap-1 px-2 sm:px-4">
        {items.map(({ to, label, waiting: count }) => (
          <li key={to} className="flex">
            <Link
              to={to}
              aria-current={isIn(to, pathname) ? "page" : undefined}
              className="inline-flex items-center gap-1.5 border-b-2 border-transparent px-2 text-sm whitespace-nowrap text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-text"
            >
              {label}
              {count ? (
                <span className="tabular rounded-full bg-warn-wash px-1.5 text-xs text-warn">
                  {count > 99 ? "99+" : count}
                  <span className="sr-only"> waiting</span>
                </span>
              ) : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function isIn(to: string, pathname: string): boolean {
  const path = pathname.replace(/\/$/, "");
  return to === "/admin" ? path === to || path.startsWith("/admin/support/") : path === to || path.startsWith(`${to}/`);
}
