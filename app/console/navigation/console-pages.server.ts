import type { ConsoleGroup } from "#app/components/navigation/console-groups.ts";
import { pathOfPage } from "../resource/resource.ts";
import { ALL_RESOURCES } from "../resources/all-resources.ts";

/** The menu is read on the server: with all definitions, it would add 13 kB of scripts to each page. */

type Place = { to: string; label: string };

const CONVERSATIONS: Place = { to: "/admin", label: "Conversations" };

/** The parts of the console that an admin uses, in groups. The first page of a group opens with it. */
const CONSOLE_GROUPS: ConsoleGroup[] = [
  group("Today", { to: "/admin/today", label: "Today" }),
  group("Support", CONVERSATIONS, { to: "/admin/emails", label: "Emails" }),
  group(
    "Orders",
    { to: "/admin/orders", label: "Orders" },
    { to: "/admin/orders/requests", label: "Refills and cancellations" },
  ),
  group(
    "Catalog",
    { to: "/admin/services", label: "Services" },
    { to: "/admin/providers", label: "Providers" },
    { to: "/admin/providers/quarantine", label: "Quarantine" },
  ),
  group("Customers", { to: "/admin/customers", label: "Customers" }),
  group("Money", { to: "/admin/payments", label: "Payments" }),
  group(
    "Reports",
    { to: "/admin/reports", label: "Order report" },
    { to: "/admin/reports/support", label: "Support report" },
  ),
  group(
    "System",
    { to: "/admin/system", label: "System" },
    { to: "/admin/settings", label: "Settings" },
    { to: "/admin/audit", label: "Audit log" },
  ),
];

/** Makes a group of these pages, and of the resources that say which of them they follow. */
function group(label: string, ...places: Place[]): ConsoleGroup {
  return { label, pages: places.flatMap(withFollowers).map((place) => ({ ...place, group: label })) };
}

function withFollowers(place: Place): Place[] {
  const followers = ALL_RESOURCES.filter(({ page }) => page.follows === place.to);
  return [place, ...followers.flatMap((one) => withFollowers({ to: pathOfPage(one), label: one.page.label }))];
}

/**
 * What agents may open, by the path in app/routes.ts: to read, also to change something, or also to send forms with these
 * intents. Agents get 404 from every other route and form of the console: only admins manage money, settings and people.
 * tests/attacks/roles-and-secrets.test.ts asks them all.
 */
export const AGENT_ROUTES: Readonly<Record<string, "reads" | "changes" | readonly string[]>> = {
  "/admin": "reads",
  "/admin/orders": "reads",
  "/admin/orders/requests": "reads",
  ...Object.fromEntries(
    ALL_RESOURCES.filter(({ roles }) => roles?.includes("agent")).map((one) => [pathOfPage(one), "changes" as const]),
  ),
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

/**
 * Returns every page of the console that the role may open. An agent's are in the order of `AGENT_ROUTES`, too few to need
 * groups.
 */
export function consoleGroups(role: "agent" | "admin"): ConsoleGroup[] {
  if (role === "admin") return CONSOLE_GROUPS;
  const pages = CONSOLE_GROUPS.flatMap((group) => group.pages);
  return [{ label: "", pages: Object.keys(AGENT_ROUTES).flatMap((path) => pages.filter(({ to }) => to === path)) }];
}
