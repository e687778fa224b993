import type { BrowserContext, Page } from "@playwright/test";
import { expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { bubbles, openChat, say } from "./chat-steps.ts";

const COOKIES_NEEDED = /Your browser blocks this site's cookies/;
const PAGES = ["/", "/auth/signup", "/privacy-policy", "/gmail-sync", "/api/docs", "/onboarding"];

test("works and says that a chat needs cookies where site data is blocked", async ({ context, page }) => {
  await forbidSiteData(context, page);
  await page.goto("/auth/login");
  await untilHydrated(page);
  // The page has storage in memory instead.
  expect(await page.evaluate(() => "isMemory" in sessionStorage)).toBe(true);
  // Remix asks the server for the route, which failed where its storage threw.
  await page.getByRole("link", { name: "Create an account" }).click();
  await expect(page.getByRole("button", { name: "Create account" })).toBeVisible();
  await page.goto("/");
  await page.getByRole("button", { name: "Use the light theme" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  await openChat(page);
  await page.getByLabel("Your name").fill("Nobody");
  await page.getByLabel("Your name").press("Enter");
  await expect(page.getByRole("dialog").getByText(COOKIES_NEEDED)).toBeVisible();
  await page.getByRole("button", { name: "Turn off sound and title alerts" }).click();
  await expect(page.getByRole("button", { name: "Turn on sound and title alerts" })).toBeVisible();
});

test("shows every page where site data is blocked", { tag: "@nightly" }, async ({ context, page }) => {
  await forbidSiteData(context, page);
  for (const path of PAGES) {
    await page.goto(path);
    await untilHydrated(page);
    await expect(page.getByText("Something went wrong")).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
});

test("starts one conversation where only the cookies are dropped, and says why it can't go on", async ({ page }) => {
  await page.route("**/support/session", async (route) => {
    // With Node's own fetch, which keeps no cookies.
    const request = route.request();
    const headers = { Origin: new URL(request.url()).origin, "Content-Type": "application/json" };
    const response = await fetch(request.url(), { method: request.method(), headers, body: request.postData() });
    await route.fulfill({ status: response.status, contentType: "application/json", body: await response.text() });
  });
  let starts = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/support/session")) starts += 1;
  });
  await page.goto("/");
  await openChat(page);
  await page.getByLabel("Your name").fill("Crumb");
  await page.getByLabel("Your message (optional)").fill("kept");
  for (let n = 0; n < 3; n++) {
    await page.getByLabel("Your name").press("Enter");
    await expect(page.getByRole("dialog").getByText(COOKIES_NEEDED)).toBeVisible();
    await expect(page.getByRole("button", { name: "Start Chat" })).toBeVisible();
    await expect(page.getByLabel("Your message (optional)")).toHaveValue("kept");
  }
  expect(starts).toBe(1);
});

test("starts a chat and sends messages while the browser's storage is full", async ({ context, page }) => {
  await fillStorage(context);
  await page.goto("/");
  await openChat(page);
  await page.getByLabel("Your name").fill("Full");
  await page.getByLabel("Your message (optional)").fill("first");
  await page.getByLabel("Your message (optional)").press("Enter");
  await expect(bubbles(page)).toHaveText([/^Hi Full/, "first"]);
  await say(page, "still here");
  await expect(bubbles(page)).toHaveText([/^Hi Full/, "first", "still here"]);
  await page.reload();
  await openChat(page);
  await expect(bubbles(page)).toHaveText([/^Hi Full/, "first", "still here"]);
});

/** Forbids cookies and storage as Chromium does for a site whose data is blocked. Its headless build has no such setting. */
async function forbidSiteData(context: BrowserContext, page: Page): Promise<void> {
  const cdp = await context.newCDPSession(page);
  await cdp.send("Emulation.setDocumentCookieDisabled", { disabled: true });
  await context.addInitScript(() => {
    for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
      Object.defineProperty(window, name, {
        configurable: true,
        get() {
          throw new DOMException(`Failed to read the '${name}' property from 'Window'.`, "SecurityError");
        },
      });
    }
  });
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
