import { Link, useLocation } from "@remix-run/react";
import Menu from "lucide-react/icons/menu";
import { type ReactNode, useId, useRef } from "react";
import { ownValue } from "#app/own-value.ts";
import { type ConsoleGroup, type ConsolePage, consolePageOf } from "./console-groups.ts";
import { type StripTab, TabStrip, WaitingCount } from "./tab-strip.tsx";

/** The number of items waiting for staff. */
export type WaitingCounts = Record<"held" | "refills" | "cancellations" | "payments" | "catalog" | "unread", number>;

/**
 * The console's navigation. An agent has one row of pages. An admin has a row of groups and, below it, the pages of the
 * current one; on a phone the latter only. A menu shows all groups with their pages.
 */
export function ConsoleNav({
  groups: given,
  waiting,
  tool,
}: {
  groups: ConsoleGroup[];
  waiting: WaitingCounts;
  /** Stands at the end and does not scroll with the tabs. */
  tool: ReactNode;
}) {
  const { pathname } = useLocation();
  const countOf = waitingByPage(waiting);
  const tabsOf = (pages: ConsolePage[]): StripTab[] => pages.map((page) => ({ ...page, waiting: countOf(page.to) }));
  const current = consolePageOf(given, pathname)?.to ?? null;
  const groups = given.map(({ label, pages }) => ({
    label,
    to: pages[0]?.to ?? "/admin",
    pages: tabsOf(pages),
    waiting: pages.reduce((sum, { to }) => sum + countOf(to), 0),
    isCurrent: pages.some(({ to }) => to === current),
  }));
  const group = groups.find(({ isCurrent }) => isCurrent) ?? null;
  const isAdmin = given.length > 1;
  return (
    <nav aria-label="Console" data-console>
      <div className={`border-b border-line ${isAdmin && group ? "max-md:hidden" : ""}`}>
        <div className="mx-auto flex max-w-frame items-center pr-1 sm:pr-4">
          <TabStrip
            tabs={isAdmin ? groups : groups.flatMap(({ pages }) => pages)}
            current={isAdmin ? (group?.to ?? null) : current}
            className="min-w-0 flex-1 px-1 sm:px-3"
          />
          {isAdmin && <AllPages groups={groups} current={current} />}
          {tool}
        </div>
      </div>
      {isAdmin && group && (
        <div className={`border-b border-line ${group.pages.length > 1 ? "" : "md:hidden"}`}>
          <div className="mx-auto flex max-w-frame items-center pr-1 sm:pr-4">
            <div className="flex pl-1 md:hidden">
              <AllPages groups={groups} current={current} />
            </div>
            <TabStrip
              label={group.label}
              tabs={group.pages}
              current={current}
              className="min-w-0 flex-1 px-1 sm:px-3 md:*:h-10"
            />
            <div className="flex md:hidden">{tool}</div>
          </div>
        </div>
      )}
    </nav>
  );
}

/** Returns how much waits on a page, which links to what waits there. */
function waitingByPage({
  held,
  refills,
  cancellations,
  payments,
  catalog,
  unread,
}: WaitingCounts): (to: string) => number {
  const counts: Record<string, number> = {
    "/admin/orders": held,
    "/admin/orders/requests": refills + cancellations,
    "/admin/payments": payments,
    "/admin/providers": unread,
    "/admin/providers/quarantine": catalog,
  };
  return (to) => ownValue(counts, to) ?? 0;
}

type MenuGroup = { label: string; pages: StripTab[]; waiting: number };

/**
 * A button that shows every page of the console. The browser opens and closes the menu, so it works before the page is
 * hydrated and without scripts.
 */
function AllPages({ groups, current }: { groups: MenuGroup[]; current: string | null }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const { pathname } = useLocation();
  const waits = groups.some(({ waiting }) => waiting > 0);
  // React 18 passes these attributes on, but its types don't know them.
  const [opens, isOpened] = [{ popovertarget: id }, { popover: "auto" }];
  return (
    <>
      <button
        type="button"
        {...opens}
        aria-label="All pages"
        title="All pages"
        className="relative inline-flex size-11 shrink-0 items-center justify-center rounded-md text-muted transition-colors hover:bg-sunken hover:text-text md:size-9"
      >
        <Menu aria-hidden className="size-4" />
        {waits && <span aria-hidden className="absolute top-2 right-2 size-2 rounded-full bg-warn md:hidden" />}
      </button>
      <div
        ref={menu}
        id={id}
        {...isOpened}
        className="mx-auto mt-16 mb-auto max-h-[calc(100dvh-80px)] w-[min(56rem,calc(100%-16px))] overflow-y-auto rounded-md border border-line bg-raised p-2 text-text shadow-float backdrop:bg-sunken/80 sm:p-4"
      >
        <div className="grid grid-cols-2 gap-x-2 gap-y-3 sm:grid-cols-4 sm:gap-y-5">
          {groups.map(({ label, pages }) => (
            <section key={label} aria-label={label}>
              <p aria-hidden className="px-2 text-xs text-muted">
                {label}
              </p>
              <ul>
                {pages.map(({ to, label, waiting }) => (
                  <li key={to}>
                    <Link
                      to={to}
                      aria-current={to !== current ? undefined : to === pathname ? "page" : "true"}
                      onClick={() => menu.current?.hidePopover?.()}
                      className="flex min-h-11 items-center gap-1.5 rounded-md px-2 text-sm hover:bg-sunken aria-[current]:bg-sunken aria-[current]:font-medium sm:min-h-9"
                    >
                      {label}
                      <WaitingCount count={waiting} />
                    </Link>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </div>
    </>
  );
}
