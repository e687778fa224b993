import { type Browser, type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";

export { expect };

/** Every test gets a running private copy, shared by the tests of its worker, and fails on an unexpected console error. */
export const test = base.extend<{ watchConsole: undefined }, { copy: LocalCopy }>({
  copy: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures it depends on from the pattern
    async ({}, use) => {
      const copy = await startLocalCopy();
      await use(copy);
      await copy.remove();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  baseURL: async ({ copy }, use) => use(copy.url),
  watchConsole: [
    async ({ browser }, use) => {
      const errors: string[] = [];
      const watch = (page: Page) => {
        page.on("console", (message) => {
          if (message.type() === "error" && !isAllowed(page, message.text())) errors.push(message.text());
        });
        page.on("pageerror", (error) => errors.push(String(error)));
      };
      const watchContext = (context: BrowserContext) => context.on("page", watch);
      browser.contexts().forEach(watchContext);
      browser.on("context", watchContext);
      await use(undefined);
      browser.off("context", watchContext);
      expect(errors, "console errors").toEqual([]);
    },
    { auto: true },
  ],
});

const allowed = new WeakMap<Page, RegExp[]>();

/** Console errors that the test itself provokes, such as a connection that it cuts. */
export function allowConsole(page: Page, pattern: RegExp): void {
  allowed.set(page, [...(allowed.get(page) ?? []), pattern]);
}

export async function signIn(page: Page, copy: LocalCopy, who: "customer" | "agent" | "admin"): Promise<void> {
  const { email, password } = copy.demo[who];
  await page.goto("/auth/login");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(/\/dashboard/);
}

/** A page of somebody else's browser, signed in. Close its context. */
export async function otherPage(browser: Browser, copy: LocalCopy, who: "customer" | "agent" | "admin"): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: copy.url })).newPage();
  await signIn(page, copy, who);
  return page;
}

export const PASSWORD = "correct horse battery";

/** A new account of the test's own, signed in. Answers its email; the password is PASSWORD. */
export async function signUp(page: Page, fullName = "Ada Test"): Promise<string> {
  const email = `${crypto.randomUUID()}@test.example`;
  await page.goto("/auth/signup");
  await page.getByLabel("Name").fill(fullName);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL("/dashboard");
  return email;
}

export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto("/auth/login");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Log in" }).click();
}

/** A page with one of the accounts' forms is alive: it checks the form itself, and no longer the browser. */
export async function hydrated(page: Page): Promise<void> {
  await expect(page.locator("form[novalidate]").first()).toBeVisible();
}

/** From now on the page's scripts do not come before what this answers is called. */
export async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route("**/assets/*.js", async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

function isAllowed(page: Page, text: string): boolean {
  return (allowed.get(page) ?? []).some((pattern) => pattern.test(text));
}
