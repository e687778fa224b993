import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { listPages, pagePaths } from "#tools/page-list.ts";
import { type agentPage, bubbles, say, startChat } from "./chat.ts";
import { allowConsole, expect, signIn, test } from "./fixtures.ts";

const WIDTHS = [390, 1280];
const THEMES = ["dark", "light"] as const;
/** Taken by the tests below, in the running copy. */
const CONVERSATION = "CONVERSATION";

const PAGES = listPages({
  "/admin/support/:id :id": CONVERSATION,
  "/dashboard/orders/:id :id": "1",
  "/dashboard/orders/mass/:id :id": "1",
  "/dashboard/transactions/:id :id": "1",
  "/admin/orders/:id :id": "1",
  "/admin/services/:id :id": "1",
  "/admin/providers/:id :id": "1",
  "/admin/customers/:id :id": "1",
  "/admin/codes/:id :id": "1",
});

test("the list of pages is the routes'", () => {
  expect(pagePaths()).toEqual(expect.arrayContaining(["/", "/*", "/auth/start", "/dashboard", "/admin/support/:id"]));
  expect(PAGES.length).toBeGreaterThan(15);
});

for (const theme of THEMES) {
  for (const { path, who } of PAGES) {
    test(`axe finds nothing on ${path} in the ${theme} theme, on a phone and on a desk`, async ({
      browser,
      page,
      copy,
    }) => {
      allowConsole(page, /404/);
      await page.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
      if (who !== "visitor") await signIn(page, copy, who);
      await check(page, path.includes(CONVERSATION) ? await startedConversation(browser) : path);
    });
  }

  test(`axe finds nothing on the offline screen and in the open chat in the ${theme} theme`, async ({ page }) => {
    allowConsole(page, /ERR_|WebSocket|Failed to load/);
    await page.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
    await startChat(page, "Ada");
    await say(page, "Where is my order?");
    await expect(bubbles(page)).toHaveCount(2);
    await page.evaluate(() => {
      for (const running of document.body.getAnimations({ subtree: true })) running.finish();
    });
    await audit(page, "the chat");
    await page.evaluate(() => window.dispatchEvent(new Event("offline")));
    await expect(page.getByRole("alertdialog")).toBeVisible();
    await audit(page, "the offline screen");
  });
}

async function startedConversation(browser: Parameters<typeof agentPage>[0]): Promise<string> {
  const visitor = await browser.newPage();
  await startChat(visitor, "Ola");
  const id = await visitor.evaluate(() => localStorage.getItem("support_session_id"));
  await visitor.close();
  return `/admin/support/${id}`;
}

async function check(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.waitForLoadState("networkidle");
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await audit(page, `${path} at ${width} px`);
  }
  for (const width of [360, 768, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await expectNoOverflow(page, `${path} at ${width} px`);
  }
}

async function audit(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
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
