import AxeBuilder from "@axe-core/playwright";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { type ListedPage, listPages, pagePaths } from "#tools/page-list.ts";
import type { LocalCopy } from "../local-copy.ts";
import { bubbles, say, startChat } from "./chat.ts";
import { allowConsole, expect, test } from "./fixtures.ts";

const WIDTHS = [390, 1280];
const THEMES = ["dark", "light"] as const;
/** Taken by the tests below, in the running copy. */
const CONVERSATION = "CONVERSATION";
const CUSTOMER = "CUSTOMER";
const BATCH = "BATCH";
const MASS_ORDER = "MASS_ORDER";
const TRANSACTION = "TRANSACTION";
const PAYMENT = "PAYMENT";

const PAGES = listPages({
  "/admin/support/:id :id": CONVERSATION,
  "/admin/customers/:id :id": CUSTOMER,
  "/admin/codes/:id :id": BATCH,
  "/admin/payments/:id :id": PAYMENT,
  "/dashboard/orders/mass/:id :id": MASS_ORDER,
  "/dashboard/transactions/:id :id": TRANSACTION,
});

test("the list of pages is the routes'", () => {
  expect(pagePaths()).toEqual(expect.arrayContaining(["/", "/*", "/auth/start", "/dashboard", "/admin/support/:id"]));
  expect(PAGES.length).toBeGreaterThan(15);
});

/** Not the server's: a page that is drawn otherwise in the browser is a console error, which fails its test. */
const ELSEWHERE = { locale: "de-DE", timezoneId: "Asia/Kathmandu" };

/** One for each role, with its cookies, for all tests: signing in each time would take most of the time. */
const contexts = new Map<ListedPage["who"], BrowserContext>();

test.afterAll(async () => {
  for (const context of contexts.values()) await context.close();
  contexts.clear();
});

for (const { path, who } of PAGES) {
  test(`axe finds nothing on ${path} in both themes, on a phone and on a desk, for a reader elsewhere`, async ({
    browser,
    copy,
  }) => {
    const page = await pageOf(who, browser, copy);
    allowConsole(page, /404/);
    await check(page, await realPath(path, browser, page, copy));
    await page.close();
  });
}

test("axe finds nothing on the offline screen and in the open chat in both themes", async ({ page }) => {
  allowConsole(page, /ERR_|WebSocket|Failed to load/);
  await startChat(page, "Ada");
  await say(page, "Where is my order?");
  await expect(bubbles(page)).toHaveCount(2);
  for (const theme of THEMES) {
    await wear(page, theme);
    await audit(page, `the chat in the ${theme} theme`);
  }
  await page.evaluate(() => window.dispatchEvent(new Event("offline")));
  await expect(page.getByRole("alertdialog")).toBeVisible();
  for (const theme of THEMES) {
    await wear(page, theme);
    await audit(page, `the offline screen in the ${theme} theme`);
  }
});

async function pageOf(who: ListedPage["who"], browser: Browser, copy: LocalCopy): Promise<Page> {
  const known = contexts.get(who);
  if (known) return known.newPage();
  const context = await browser.newContext({ baseURL: copy.url, ...ELSEWHERE });
  contexts.set(who, context);
  if (who !== "visitor") {
    const { email, password } = copy.demo[who];
    const headers = { Origin: copy.url };
    await context.request.post("/auth/login", { form: { email, password }, headers });
    // The account belongs to who sees the page, or its sign-in page would be looked at instead.
    expect((await context.request.get("/dashboard")).url()).toBe(`${copy.url}/dashboard`);
  }
  return context.newPage();
}

/** Makes what the page is about, where it takes more than a path. */
async function realPath(path: string, browser: Browser, page: Page, copy: LocalCopy): Promise<string> {
  if (path.includes(CONVERSATION)) return startedConversation(browser);
  if (path.includes(CUSTOMER)) return firstLink(page, "/admin/customers");
  if (path.includes(BATCH)) {
    await page.goto("/admin/codes");
    await page.getByLabel("Name").fill("axe");
    await page.getByLabel("Amount in USD").fill("5");
    await page.getByRole("button", { name: "Make codes" }).click();
    await expect(page.getByLabel("New codes")).toBeVisible();
    return firstLink(page, "/admin/codes");
  }
  if (path.includes(PAYMENT)) {
    await page.goto("/dashboard/top-up");
    await page.getByRole("button", { name: /^Pay .*25.* by card$/ }).click();
    await page.getByRole("button", { name: "Pay €25.00 instead" }).click();
    await page.waitForURL(/top-up\?checkout=/);
    return firstLink(page, "/admin/payments");
  }
  if (path.includes(TRANSACTION)) return firstLink(page, "/dashboard/transactions");
  if (path.includes(MASS_ORDER)) {
    await page.goto("/dashboard/orders/mass");
    await page.getByRole("textbox", { name: /service \| link/ }).fill("1 | https://instagram.com/p/axe | 1000");
    await page.getByRole("button", { name: "Check the lines" }).click();
    await page.getByRole("button", { name: /^Place 1 order/ }).click();
    await page.waitForURL(/orders\/mass\/\d+/);
    return new URL(page.url()).pathname;
  }
  if (path.endsWith("/orders/1")) await placeHeldOrder(copy);
  return path;
}

async function firstLink(page: Page, list: string): Promise<string> {
  await page.goto(list);
  return (await page.locator(`main a[href^="${list}/"]`).first().getAttribute("href")) ?? "";
}

/** With all its decisions to make: the sandbox answers it with 500. */
async function placeHeldOrder(copy: LocalCopy): Promise<void> {
  const link = "https://instagram.com/p/1?sandbox=500";
  const fields = { key: copy.demo.customer.apiKey, action: "add", service: "1", link, quantity: "1000" };
  const response = await fetch(`${copy.url}/api/v2`, { method: "POST", body: new URLSearchParams(fields) });
  expect(await response.json()).toHaveProperty("order");
}

async function startedConversation(browser: Browser): Promise<string> {
  const visitor = await browser.newPage();
  await startChat(visitor, "Ola");
  const id = await visitor.evaluate(() => localStorage.getItem("support_session_id"));
  await visitor.close();
  return `/admin/support/${id}`;
}

async function check(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await settled(page);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const theme of THEMES) {
      await wear(page, theme);
      await audit(page, `${path} at ${width} px in the ${theme} theme`);
    }
  }
  for (const width of [360, 768, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page, `${path} at ${width} px`);
  }
}

/** Scripts have taken the page over, and nothing on it is still being loaded. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => Object.keys(document).some((key) => key.startsWith("__reactContainer")));
  await page.evaluate(() => document.fonts.ready);
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
}

/** As the button for it does, without waiting for colours to fade over. */
async function wear(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
  await page.evaluate(async (chosen) => {
    document.documentElement.dataset.theme = chosen;
    await new Promise(requestAnimationFrame);
    for (const running of document.getAnimations()) {
      if (running.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY) running.finish();
    }
  }, theme);
}

async function audit(page: Page, where: string): Promise<void> {
  // There are no frames: the mode that opens another page to put their results together is not needed.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
  expect(found, where).toEqual([]);
  await expectNoOverflow(page, where);
}

async function expectNoOverflow(page: Page, where: string): Promise<void> {
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow, `${where} is wider than the window`).toBeLessThanOrEqual(0);
}
