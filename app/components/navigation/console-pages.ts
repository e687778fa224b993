import { currentTab } from "./current-tab.ts";

export type ConsolePage = { to: string; label: string };
export type ConsoleGroup = { label: string; pages: [ConsolePage, ...ConsolePage[]] };

const CONVERSATIONS: ConsolePage = { to: "/admin", label: "Conversations" };
const REPLIES: ConsolePage = { to: "/admin/replies", label: "Saved replies" };
const ORDERS: ConsolePage = { to: "/admin/orders", label: "Orders" };
const REQUESTS: ConsolePage = { to: "/admin/orders/requests", label: "Refills and cancellations" };

/** The parts of the console that an admin uses, in groups. The first page of a group opens with it. */
export const CONSOLE_GROUPS: ConsoleGroup[] = [
  { label: "Today", pages: [{ to: "/admin/today", label: "Today" }] },
  { label: "Support", pages: [CONVERSATIONS, REPLIES, { to: "/admin/emails", label: "Emails" }] },
  { label: "Orders", pages: [ORDERS, REQUESTS] },
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

/** Agents have too few pages to need groups. Only admins manage money, settings and people. */
export const AGENT_PAGES: ConsolePage[] = [CONVERSATIONS, ORDERS, REQUESTS, REPLIES];

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
