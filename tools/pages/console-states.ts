import type { APIRequestContext, Page } from "@playwright/test";
import { consolePatterns } from "./page-list.ts";

/** Screens of the operator's console and states of them: by a path, or by what staff do there. */

export type ConsoleState = {
  name: string;
  who?: "agent";
  /** Gets the admin's own requests, to find ids in lists. */
  reach: (page: Page, admin: APIRequestContext) => Promise<unknown>;
};

const NOTHING = "nothing-is-called-like-this";

/** States of screens whose path is always the same, beside each page as it opens. */
const PATHS: Record<string, string> = {
  "orders-all": "/admin/orders?state=all",
  "orders-filtered": "/admin/orders?state=all&source=api&from=2026-01-01",
  "orders-no-result": `/admin/orders?q=${NOTHING}`,
  "orders-late": "/admin/orders?late=1",
  "services-no-result": `/admin/services?q=${NOTHING}`,
  "services-bulk-price": "/admin/services/bulk?all=1&change=price&by=-60&step=0.05",
  "services-bulk-category": "/admin/services/bulk?id=1&id=2&change=category",
  "service-new": "/admin/services/new",
  "quarantine-selected": "/admin/providers/quarantine?all=1",
  "customers-no-result": `/admin/customers?q=${NOTHING}`,
  "audit-no-result": "/admin/audit?about=service&of=999999",
  "emails-suppressed": "/admin/emails?state=suppressed",
  "reports-by-service": "/admin/reports?by=service",
  "reports-by-provider": "/admin/reports?by=provider",
  "reports-by-customer": "/admin/reports?by=customer",
  "reports-empty": "/admin/reports?from=2020-01-01&to=2020-01-02",
  "not-found": "/admin/orders/99999999",
};

/** Screens of one thing: the first that a list links to. `shown`: the path of another page of that thing. */
const FIRST_OF: Record<string, [list: string, linked: string, shown?: string]> = {
  "order-held": ["/admin/orders", "/admin/orders"],
  "order-completed": ["/admin/orders?state=all&sort=created", "/admin/orders"],
  service: ["/admin/services", "/admin/services"],
  "service-change": ["/admin/audit?what=services.change", "/admin/audit", "/admin/services/changes"],
  provider: ["/admin/providers", "/admin/providers"],
  customer: ["/admin/reports?by=customer", "/admin/customers"],
  payment: ["/admin/payments", "/admin/payments"],
  "payment-to-review": ["/admin/payments?state=review", "/admin/payments"],
  "code-batch": ["/admin/codes", "/admin/codes"],
  tier: ["/admin/tiers", "/admin/tiers"],
  "audit-entry": ["/admin/audit", "/admin/audit"],
  "audit-entry-undo": ["/admin/audit?what=services.change", "/admin/audit"],
  "support-conversation": ["/admin", "/admin/support"],
};

const ACTED: ConsoleState[] = [
  {
    name: "orders-selection",
    reach: async (page) => {
      await page.goto("/admin/orders");
      await selectRows(page);
    },
  },
  {
    name: "orders-bulk-refund",
    reach: async (page, admin) => page.goto(`/admin/orders/bulk?${await heldIds(admin)}&decide=refund`),
  },
  {
    name: "orders-bulk-follow",
    reach: async (page, admin) => page.goto(`/admin/orders/bulk?${await heldIds(admin)}&decide=follow`),
  },
  {
    name: "services-selection",
    reach: async (page) => {
      await page.goto("/admin/services");
      await selectRows(page);
    },
  },
  {
    name: "service-conflict",
    reach: async (page, admin) => {
      const path = `/admin/services/${await firstId(admin, "/admin/services", "/admin/services")}`;
      await page.goto(path);
      const other = await page.context().newPage();
      await other.goto(path);
      const rate = other.getByLabel("Rate in USD");
      await rate.fill((Number(await rate.inputValue()) + 0.01).toFixed(2));
      await other.getByRole("button", { name: "Save service" }).click();
      await other.getByText("Saved. The catalog and the API").waitFor();
      await other.close();
      await page.getByLabel("Rate in USD").fill("30");
      await page.getByRole("button", { name: "Save service" }).click();
      await page.getByRole("region", { name: "Saved meanwhile" }).waitFor();
    },
  },
  {
    name: "service-errors",
    reach: async (page) => {
      await page.goto("/admin/services/new");
      await page.getByRole("button", { name: "Create service" }).click();
      await page.locator("[aria-invalid=true]").first().waitFor();
    },
  },
  {
    name: "provider-preview",
    reach: async (page, admin) => {
      const html = await (await admin.get("/admin/providers")).text();
      const id = /href="\/admin\/providers\/(\d+)"[^>]*>Northwind/.exec(html)?.[1] ?? "1";
      await page.goto(`/admin/providers/${id}`);
      await page.getByRole("button", { name: "Preview changes" }).click();
      await page.locator("#preview").or(page.getByRole("alert")).first().waitFor();
    },
  },
  {
    name: "list-offline",
    reach: async (page) => {
      await page.goto("/admin/customers");
      await page.context().setOffline(true);
      await page.getByRole("alertdialog", { name: "Connect to the Internet" }).waitFor();
    },
  },
  {
    name: "all-pages",
    reach: async (page) => {
      await page.goto("/admin/services");
      await page.getByRole("button", { name: "All pages" }).click();
    },
  },
  {
    name: "palette",
    reach: async (page) => {
      await page.goto("/admin/today");
      await page.getByRole("button", { name: "Command palette" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "agent-orders", who: "agent", reach: (page) => page.goto("/admin/orders") },
];

export const STATES: ConsoleState[] = [
  ...pagesAsTheyOpen(),
  ...Object.entries(PATHS).map(([name, path]) => ({ name, reach: (page: Page) => page.goto(path) })),
  ...Object.entries(FIRST_OF).map(([name, [list, linked, shown = linked]]) => ({
    name,
    reach: async (page: Page, admin: APIRequestContext) => page.goto(`${shown}/${await firstId(admin, list, linked)}`),
  })),
  ...ACTED,
];

/** Returns a state for each page without a parameter. Throws for a page with one that no list leads to. */
function pagesAsTheyOpen(): ConsoleState[] {
  const reached = Object.values(FIRST_OF).map(([, linked, shown = linked]) => shown);
  return consolePatterns().flatMap((pattern) => {
    const [fixed = ""] = pattern.split("/:");
    if (fixed === pattern) return [{ name: nameOf(pattern), reach: (page) => page.goto(pattern) }];
    if (reached.includes(fixed)) return [];
    throw new Error(`tools/pages/console-states.ts needs a list that leads to ${pattern}`);
  });
}

/** Returns "reports-support" for "/admin/reports/support". */
function nameOf(path: string): string {
  return path === "/admin" ? "support-inbox" : path.slice("/admin/".length).replaceAll("/", "-");
}

async function selectRows(page: Page): Promise<void> {
  const boxes = page.getByRole("checkbox", { name: /^Select row/ });
  for (const n of [0, 1, 2]) await boxes.nth(n).check();
}

async function heldIds(admin: APIRequestContext): Promise<string> {
  const html = await (await admin.get("/admin/orders")).text();
  const ids = [...new Set([...html.matchAll(/href="\/admin\/orders\/(\d+)"/g)].map(([, id]) => id))].slice(0, 8);
  return ids.map((id) => `id=${id}`).join("&");
}

/** Returns the id of the first link in a list to a page below `path`. */
async function firstId(admin: APIRequestContext, list: string, path: string): Promise<string> {
  const html = await (await admin.get(list)).text();
  const id = new RegExp(`href="${path}/(?!new|bulk|requests|quarantine|changes)([^"/?#]+)"`).exec(html)?.[1];
  if (id === undefined) throw new Error(`${list} is empty`);
  return id;
}
