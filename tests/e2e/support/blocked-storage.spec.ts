import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, say, startChat } from "./chat-steps.ts";

const COOKIES_NEEDED = /Your browser blocks this site's cookies/;
const PAGES = ["/", "/auth/login", "/auth/signup", "/privacy-policy", "/gmail-sync", "/api/docs", "/onboarding"];

/** Opens a page of a browser whose user forbids site data: cookies, and with them all storage. */
async function openForbidding(launch: object, baseURL: string, use: (page: Page) => Promise<void>): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), "growline-profile-"));
  mkdirSync(join(profile, "Default"));
  const forbidden = { profile: { default_content_setting_values: { cookies: 2 } } };
  writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(forbidden));
  const context = await chromium.launchPersistentContext(profile, { ...launch, baseURL });
  try {
    await use(context.pages()[0] ?? (await context.newPage()));
  } finally {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

test("shows every page and says that a chat needs cookies where site data is blocked", async ({
  copy,
  launchOptions,
}) => {
  await openForbidding(launchOptions, copy.url, async (page) => {
    await page.goto("/");
    expect(await page.evaluate(isStorageForbidden)).toBe(true);
    for (const path of PAGES) {
      await page.goto(path);
      await page.waitForLoadState("networkidle");
      await expect(page.getByText("Something went wrong")).toHaveCount(0);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    }
    await page.goto("/");
    await page.getByRole("button", { name: "Use the light theme" }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
    await page.getByRole("button", { name: "Open support chat" }).click();
    await page.getByLabel("Your name").fill("Nobody");
    await page.getByRole("button", { name: "Start Chat" }).click();
    await expect(page.getByRole("dialog").getByText(COOKIES_NEEDED)).toBeVisible();
    await page.getByRole("button", { name: "Turn off sound and title alerts" }).click();
    await expect(page.getByRole("button", { name: "Turn on sound and title alerts" })).toBeVisible();
  });
});

test("starts one conversation where only the cookies are dropped, and says why it can't go on", async ({ page }) => {
  await page.route("**/support/session", async (route) => {
    const { cookie: _, ...headers } = await route.request().allHeaders();
    const response = await route.fetch({ headers });
    const { "set-cookie": __, ...kept } = response.headers();
    await route.fulfill({ response, headers: kept });
  });
  let starts = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/support/session")) starts += 1;
  });
  await page.goto("/");
  await page.getByRole("button", { name: "Open support chat" }).click();
  await page.getByLabel("Your name").fill("Crumb");
  for (let n = 0; n < 3; n++) await page.getByRole("button", { name: "Start Chat" }).click();
  await expect(page.getByRole("dialog").getByText(COOKIES_NEEDED)).toBeVisible();
  await expect(page.getByRole("button", { name: "Start Chat" })).toBeVisible();
  expect(starts).toBe(1);
});

test("starts a chat and sends messages while the browser's storage is full", async ({ context, page }) => {
  await fillStorage(context);
  await startChat(page, "Full");
  await say(page, "still here");
  await expect(bubbles(page)).toHaveText([/^Hi Full/, "still here"]);
  await page.reload();
  await page.getByRole("button", { name: "Open support chat" }).click();
  await expect(bubbles(page)).toHaveText([/^Hi Full/, "still here"]);
});

function isStorageForbidden(): boolean {
  try {
    return localStorage === null;
  } catch {
    return true;
  }
}

/** Fills local and session storage of each page that the context opens. */
async function fillStorage(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    for (const storage of [localStorage, sessionStorage]) {
      for (let size = 1 << 20; size >= 1; size >>= 1) {
        try {
          for (let n = 0; ; n++) storage.setItem(`full-${size}-${n}`, "x".repeat(size));
        } catch {}
      }
    }
  });
}
