import { join } from "node:path";
import type { Locator, Page } from "@playwright/test";
import { auditPage } from "#tests/e2e/axe-audit.ts";
import { expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { OperatorHand } from "#tests/operator/operator-hand.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { startSandboxProvider } from "#tools/stand-ins/sandbox-provider.ts";

/**
 * What each part may take of a person: a click, a field or an address each. Logging in and opening the page of providers
 * take six of the first part, its three fields and two buttons the others.
 */
const MOST_ACTIONS = { connect: 11, sell: 6, teach: 6, undo: 2 };

const KEY = "a key of the new panel";
/** Rows as panels spell them. The last one has a type that nobody knows. */
const CATALOG = [
  entry({ service: 701, name: "Moonlight followers", type: "Default", rate: "0.90", min: "50", max: "10000" }),
  entry({ service: "702", name: "Moonlight comments", type: "custom_comments", rate: 3.2, min: 5, max: 500 }),
  entry({ service: 703, name: "Moonlight starter pack", type: "PACKAGE", rate: "4.50", min: 1, max: 1 }),
  entry({ service: 704, name: "Moonlight views", type: "Views", rate: "0.02", min: "100", max: "1000000" }),
  entry({ service: 705, name: "Moonlight holograms", type: "Hologram", rate: "1.00", min: "100", max: "1000" }),
];

function entry(terms: object) {
  return { category: "Moonlight", dripfeed: false, refill: true, cancel: true, ...terms };
}

test("takes an operator from a new panel's key to a closed order, by what is on screen", async ({ page, copy }) => {
  const name = `Moonlight panel ${crypto.randomUUID().slice(0, 8)}`;
  const file = join(copy.stateDir, `${crypto.randomUUID()}.jsonl`);
  const panel = await startSandboxProvider({ key: KEY, file, services: CATALOG });
  try {
    const connecting = new OperatorHand(page);
    await connectPanel(connecting, copy, { name, url: panel.url });
    expect.soft(connecting.actions, "to connect a panel").toBeLessThanOrEqual(MOST_ACTIONS.connect);

    const selling = new OperatorHand(page);
    await sellCatalog(selling);
    expect.soft(selling.actions, "to sell its catalog").toBeLessThanOrEqual(MOST_ACTIONS.sell);
    const order = await placeOrder(copy, "Moonlight followers");

    const teaching = new OperatorHand(page);
    await teachWord(teaching, name, order);
    expect.soft(teaching.actions, "to teach a word").toBeLessThanOrEqual(MOST_ACTIONS.teach);
    await expect.poll(() => statusOf(copy, order)).toBe("Completed");

    const undoing = new OperatorHand(page);
    await undoing.click(region(page, "Taught words").getByRole("button", { name: "Undo rule: Awaiting moon" }));
    await undoing.click(page.getByRole("button", { name: "Undo the rule" }));
    await undoing.see("“Awaiting moon” undone. It's unknown from now on.");
    await expect(region(page, "Taught words")).toBeHidden();
    expect.soft(undoing.actions, "to undo it").toBeLessThanOrEqual(MOST_ACTIONS.undo);
    expect(await statusOf(copy, order)).toBe("Completed");
  } finally {
    // Other tests order from the same catalog.
    const off = "update services set enabled = 0 where provider_id = (select id from providers where name = ?)";
    await copy.changeRows("DB", off, name);
    await panel.close();
  }
});

/** Logs in, adds the panel, first with a key that it refuses, and tests the connection. */
async function connectPanel(hand: OperatorHand, copy: LocalCopy, panel: { name: string; url: string }): Promise<void> {
  const { page } = hand;
  const { email, password } = copy.demo.admin;
  await hand.goTo("/auth/login");
  await untilHydrated(page);
  await hand.fill(page.getByLabel("Email address"), email);
  await hand.fill(page.getByLabel("Password", { exact: true }), password);
  await hand.click(page.getByRole("button", { name: "Log in", exact: true }));
  const nav = page.getByRole("navigation", { name: "Console" });
  await hand.click(nav.getByRole("link", { name: "Catalog" }));
  await hand.click(nav.getByRole("link", { name: "Providers" }));
  await hand.fill(page.getByLabel("Name", { exact: true }), panel.name);
  await hand.fill(page.getByLabel("API URL"), panel.url);
  await hand.fill(page.getByLabel("API key"), KEY);
  await hand.click(page.getByRole("button", { name: "Add provider" }));
  await hand.see("Provider added. Test the connection, then say what margin its services leave.");
  await hand.click(page.getByRole("button", { name: "Test connection" }));
  const connection = region(page, "Connection");
  await expect(connection.getByText("Connected. Balance: 1000000.00 USD.")).toBeVisible();
  for (const fact of ["Panel API v2", "Sent in the body, as “key”", "Known after the first order"]) {
    await expect(connection.getByText(fact, { exact: true })).toBeVisible();
  }
  await look(page, "a tested provider");
}

/** Prices the catalog with a rule, imports what can be read of it, and puts that on sale. */
async function sellCatalog(hand: OperatorHand): Promise<void> {
  const { page } = hand;
  await hand.fill(page.getByLabel("Margin in percent"), "50");
  await hand.click(page.getByRole("button", { name: "Add rule" }));
  await hand.see("Rule added. Preview the catalog.");
  await hand.click(page.getByRole("button", { name: "Preview changes" }));
  const preview = region(page, "4 services, 4 changes");
  await expect(preview.getByText("1 entry can't be read.")).toBeVisible();
  await expect(preview.getByText("Its type “Hologram” is unknown.")).toBeVisible();
  for (const [service, type, cost, rate] of [
    ["Moonlight followers", "Default", "$0.90", "$1.80"],
    ["Moonlight comments", "Custom Comments", "$3.20", "$6.40"],
    ["Moonlight starter pack", "Package", "$4.50", "$9.00"],
    ["Moonlight views", "Default", "$0.02", "$0.04"],
  ] as const) {
    const row = preview.getByRole("row", { name: new RegExp(service) });
    for (const text of [`Moonlight · ${type} · `, cost, rate]) await expect(row).toContainText(text);
  }
  await look(page, "the preview of an import");
  await hand.click(page.getByRole("button", { name: "Import 4 services" }));
  await hand.see("Catalog imported: 4 added off sale.");
  await look(page, "an imported catalog");
  await hand.click(region(page, "Last changes").getByRole("link", { name: "Put 4 new services on sale…" }));
  await page.waitForURL(/services\/bulk/);
  await expect(page.getByRole("row", { name: /Moonlight views/ })).toContainText("On sale");
  await look(page, "the preview of a sale");
  await hand.click(page.getByRole("button", { name: "Put 4 services on sale" }));
  await hand.see("Changed 4 services.");
}

/** Finds the panel's unknown word from the page of the day, teaches it after a preview, and sees the order end. */
async function teachWord(hand: OperatorHand, panel: string, order: number): Promise<void> {
  const { page } = hand;
  await hand.click(page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Today" }));
  await page.waitForURL("/admin/today");
  const unknown = region(page, "Needs your attention").getByRole("link", {
    name: /Unknown words from providers [1-9]/,
  });
  await expect(async () => {
    await page.reload();
    await expect(unknown).toBeVisible({ timeout: 1000 });
  }).toPass();
  await untilHydrated(page);
  await look(page, "a day with an unknown word");
  await hand.click(unknown);
  const listed = page.getByRole("row", { name: new RegExp(panel) });
  await expect(listed).toBeVisible();
  await look(page, "a provider with an unknown word");
  await hand.click(listed.getByRole("link", { name: "1 unknown word", exact: true }));
  const unread = region(page, "Answers we couldn't read");
  await expect(unread).toBeInViewport();
  const word = unread.getByRole("listitem").filter({ hasText: '"status":"Awaiting moon"' });
  await expect(word.getByRole("link", { name: `Order ${order}` })).toBeVisible();
  await hand.choose(word.getByLabel("What does it mean for the order?"), "Completed");
  await hand.click(word.getByRole("button", { name: "Preview rule" }));
  await expect(word.getByText("It ends 1 open order and refunds nothing.")).toBeVisible();
  await look(page, "the preview of a rule");
  await hand.click(word.getByRole("button", { name: "Save rule" }));
  await hand.see("“Awaiting moon” taught. It holds from the next answer on.");
  await expect(region(page, "Taught words").getByText("Awaiting moon means Completed")).toBeVisible();
}

/** Places an order of a service by its name as a panel that resells us does. The provider answers an unknown state about it. */
async function placeOrder(copy: LocalCopy, name: string): Promise<number> {
  const services = (await ask(copy, { action: "services" })) as { service: string; name: string }[];
  const service = services.find((one) => one.name === name)?.service ?? "none";
  const link = sandboxLink("strange", crypto.randomUUID());
  const placed = (await ask(copy, { action: "add", service, link, quantity: "100" })) as { order: number };
  expect(placed).toEqual({ order: expect.any(Number) });
  return placed.order;
}

async function statusOf(copy: LocalCopy, order: number): Promise<string> {
  return ((await ask(copy, { action: "status", order: String(order) })) as { status: string }).status;
}

async function ask(copy: LocalCopy, call: Record<string, string>): Promise<unknown> {
  const body = new URLSearchParams({ key: copy.demo.customer.apiKey, ...call });
  return (await fetch(`${copy.url}/api/v2`, { method: "POST", body })).json();
}

function region(page: Page, name: string): Locator {
  return page.getByRole("region", { name, exact: true });
}

/** Audits the page at each width and in each theme, and expects no table to be wider than a phone shows. */
async function look(page: Page, what: string): Promise<void> {
  await auditPage(page, what);
  await page.setViewportSize({ width: 390, height: 900 });
  const tooWide = await page.evaluate(() =>
    [...document.querySelectorAll("[role=group][tabindex]")]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((table) => table.getAttribute("aria-label")),
  );
  expect(tooWide, `${what} on a phone`).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });
}
