import { currentTab } from "./current-tab.ts";

export type ConsolePage = { to: string; label: string };
export type ConsoleGroup = { label: string; pages: [ConsolePage, ...ConsolePage[]] };

const CONVERSATIONS: ConsolePage = { to: "/admin", label: "Conversations" };

/** The parts of the console that an admin uses, in groups. The first page of a group opens with it. */
export const CONSOLE_GROUPS: ConsoleGroup[] = [
  { label: "Today", pages: [{ to: "/admin/today", label: "Today" }] },
  {
    label: "Support",
    pages: [CONVERSATIONS, { to: "/admin/replies", label: "Saved replies" }, { to: "/admin/emails", label: "Emails" }],
  },
  {
    label: "Orders",
    pages: [
      { to: "/admin/orders", label: "Orders" },
      { to: "/admin/orders/requests", label: "Refills and cancellations" },
    ],
  },
  {
    label: "Catalog",
    pages: [
      { to: "/admin/services", label: "Services" },
      { to: "/admin/providers", label: "Providers" },
      { to: "/admin/providers/quarantine", label: "Quarantine" },
    ],
  },
  {
    label: "Customers",
    pages: [
      { to: "/admin/customers", label: "Customers" },
      { to: "/admin/tiers", label: "Tiers" },
      { to: "/admin/announcements", label: "Announcements" },
    ],
  },
  {
    label: "Money",
    pages: [
      { to: "/admin/payments", label: "Payments" },
      { to: "/admin/codes", label: "Codes" },
      { to: "/admin/percent-codes", label: "Percent codes" },
    ],
  },
  {
    label: "Reports",
    pages: [
      { to: "/admin/reports", label: "Order report" },
      { to: "/admin/reports/support", label: "Support report" },
    ],
  },
  {
    label: "System",
    pages: [
      { to: "/admin/system", label: "System" },
      { to: "/admin/settings", label: "Settings" },
      { to: "/admin/audit", label: "Audit log" },
    ],
  },
];

/**
 * What agents may open, by the path in app/routes.ts: to read, also to change something, or also to send forms with these
 * intents. Agents get 404 from every other route and form of the console: only admins manage money, settings and people.
 * tests/attacks/roles-and-secrets.test.ts asks them all.
 */
export const AGENT_ROUTES: Readonly<Record<string, "reads" | "changes" | readonly string[]>> = {
  "/admin": "reads",
  "/admin/orders": "reads",
  "/admin/orders/requests": "reads",
  "/admin/replies": "changes",
  "/admin/orders/:id": "reads",
  "/admin/customers/:id": ["note", "delete-note", "access"],
  "/admin/support/:id": "reads",
  "/admin/support/:id/actions": "changes",
  "/admin/inbox": "reads",
  "/admin/mentions": "changes",
  "/admin/availability": "changes",
  "/admin/filters": "changes",
  "/admin/find": "reads",
  "/admin/find-replies": "reads",
};

/** The pages in an agent's navigation, in the order of `AGENT_ROUTES`. They are too few to need groups. */
export const AGENT_PAGES: ConsolePage[] = Object.keys(AGENT_ROUTES).flatMap((path) =>
  CONSOLE_GROUPS.flatMap(({ pages }) => pages.filter(({ to }) => to === path)),
);

/** Returns the listed page that a path belongs to, or null if it belongs to none. */
export function consolePageOf(role: "agent" | "admin", pathname: string): ConsolePage | null {
  const pages = consolePages(role);
  const to = currentTab(pages, pathname);
  // All paths begin with that of the conversations.
  const isElsewhere = to === CONVERSATIONS.to && !/^\/admin(\/support\/.*)?\/?$/.test(pathname);
  return isElsewhere ? null : (pages.find((page) => page.to === to) ?? null);
}

/** Returns every page of the console that the role may open. */
export function consolePages(role: "agent" | "admin"): ConsolePage[] {
  return role === "agent" ? AGENT_PAGES : CONSOLE_GROUPS.flatMap(({ pages }) => pages);
}
