import { currentTab } from "./current-tab.ts";

export const DASHBOARD_PAGES = [
  { to: "/dashboard", label: "Overview" },
  { to: "/dashboard/orders", label: "Orders" },
  { to: "/dashboard/orders/mass", label: "Mass order" },
  { to: "/dashboard/transactions", label: "Transactions" },
  { to: "/dashboard/api", label: "API" },
  { to: "/upload", label: "Files" },
  { to: "/dashboard/top-up", label: "Top up" },
  { to: "/gmail-sync", label: "Gmail" },
  { to: "/dashboard/account", label: "Account" },
];

/** Returns whether a page belongs to a customer's dashboard. */
export function isDashboardPage(pathname: string): boolean {
  return currentTab([...DASHBOARD_PAGES, { to: "/account" }], pathname) !== null;
}
