import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContext, test as base, expect, type Page } from "@playwright/test";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";

export { expect };

/** The jobs of a minute take a tenth of a second of processor time or more: every 2 s, they took a fifth of the whole run. */
const CRON_EVERY_MS = "5000";
/** Shows tests that act before a page is hydrated, as it happens on a busy machine. */
const LATE_HYDRATION_MS = Number(process.env.LATE_HYDRATION_MS ?? 0);

/**
 * A test with a running copy of the product, one for each worker. An unexpected console error fails it. A worker
 * fixture in a test file would give that file its own worker and copy, and the next file another: two more starts.
 */
export const test = base.extend<{ watchConsole: undefined }, { copy: LocalCopy }>({
  copy: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures it depends on from the pattern
    async ({}, use) => {
      const copy = await startLocalCopy({ CRON_EVERY_MS });
      await use(copy);
      await copy.remove();
    },
    { scope: "worker", timeout: 300_000 },
  ],
  baseURL: async ({ copy }, use) => use(copy.url),
  watchConsole: [
    async ({ browser, copy }, use) => {
      const startedAt = new Date().toISOString();
      const errors: string[] = [];
      const watch = (page: Page) => {
        page.on("console", (message) => {
          // Remix logs a load that it has aborted itself because a newer one replaced it.
          if (/^AbortError:/.test(message.text())) return;
          if (message.type() !== "error" || isAllowed(page, message.text())) return;
          errors.push(`${message.text()} (${message.location().url})`);
        });
        page.on("pageerror", (error) => {
          if (!isAllowed(page, String(error))) errors.push(String(error));
        });
      };
      const watchContext = (context: BrowserContext) => {
        context.on("page", watch);
        if (LATE_HYDRATION_MS > 0) hydrateLate(context, LATE_HYDRATION_MS);
      };
      const before = browser.contexts();
      before.forEach(watchContext);
      browser.on("context", watchContext);
      await use(undefined);
      browser.off("context", watchContext);
      // Playwright keeps these open: an agent of a failed test would stay online in the next one.
      const opened = browser.contexts().filter((context) => !before.includes(context));
      await Promise.all(opened.map((context) => context.close()));
      const logged = errors.length === 0 ? [] : await readErrorLines(copy, startedAt);
      expect(errors, `console errors; the copy logged: ${logged.join("\n") || "no error"}`).toEqual([]);
    },
    { auto: true },
  ],
});

/** Delays the hydration of the context's pages. The entry module starts it in a timer of its own. */
function hydrateLate(context: BrowserContext, lateMs: number): void {
  void context.addInitScript((ms) => {
    const { setTimeout } = window;
    let isFirst = true;
    window.setTimeout = ((work: () => void, after?: number, ...rest: unknown[]) => {
      const isEntry = isFirst && after === undefined;
      if (isEntry) isFirst = false;
      return setTimeout(work, isEntry ? ms : after, ...rest);
    }) as typeof window.setTimeout;
  }, lateMs);
}

/** Returns the lines at level error that the copy has logged since an ISO time. */
async function readErrorLines({ stateDir }: LocalCopy, since: string): Promise<string[]> {
  const lines = (await readFile(join(stateDir, "logs", "worker.log"), "utf8")).split("\n");
  return lines.filter(
    (line) => line.includes('"level":"error"') && (/"time":"([^"]+)"/.exec(line)?.[1] ?? "") >= since,
  );
}

const allowed = new WeakMap<Page, RegExp[]>();

/** Allows console errors that the test itself provokes, such as a connection that it cuts. */
export function allowConsole(page: Page, pattern: RegExp): void {
  allowed.set(page, [...(allowed.get(page) ?? []), pattern]);
}

/** Returns a function that tells how often the page has loaded since this call. */
export function countLoads(page: Page): () => number {
  let loads = 0;
  page.on("load", () => {
    loads += 1;
  });
  return () => loads;
}

type Role = "customer" | "agent" | "admin";
type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** One session for each role and copy. A test that ends its session signs in with logIn(). */
const sessions = new WeakMap<LocalCopy, Map<Role, { state: StorageState; startedAt: number }>>();
/** Shorter than a log-in is a recent proof, so that a shared session is never asked for another one in a test. */
const SHARED_MS = 5 * 60_000;

/** Signs the browser context of `page` in to the copy's demo account, opens `path` and waits until it is hydrated. */
export async function signIn(page: Page, copy: LocalCopy, role: Role, path = "/dashboard"): Promise<void> {
  const { cookies } = await sessionOf(page.context().browser(), copy, role);
  await page.context().addCookies(cookies);
  await page.goto(path);
  // Otherwise a test that ended the session fails another one, far from the cause.
  expect(new URL(page.url()).pathname, `a test ended the ${role}'s shared session`).not.toBe("/auth/login");
  await untilHydrated(page);
}

/** Opens `path` signed in, in a new browser context, and waits until it is hydrated. The caller closes the context. */
export async function otherPage(browser: Browser, copy: LocalCopy, role: Role, path = "/dashboard"): Promise<Page> {
  const storageState = await sessionOf(browser, copy, role);
  const page = await (await browser.newContext({ baseURL: copy.url, storageState })).newPage();
  await page.goto(path);
  await untilHydrated(page);
  return page;
}

/** Returns the cookies of the demo account of `role`, signed in anew every SHARED_MS. */
export async function sessionOf(browser: Browser | null, copy: LocalCopy, role: Role): Promise<StorageState> {
  const known = sessions.get(copy) ?? new Map<Role, { state: StorageState; startedAt: number }>();
  sessions.set(copy, known);
  const stored = known.get(role);
  if (stored && Date.now() - stored.startedAt < SHARED_MS) return stored.state;
  if (!browser) throw new Error("the context belongs to no browser");
  const context = await browser.newContext({ baseURL: copy.url });
  const { email, password } = copy.demo[role];
  await context.request.post("/auth/login", { form: { email, password }, headers: { Origin: copy.url } });
  // Without this wait, the test would continue as a visitor.
  expect((await context.request.get("/dashboard")).url()).toBe(`${copy.url}/dashboard`);
  const state = await context.storageState();
  await context.close();
  known.set(role, { state, startedAt: Date.now() });
  return state;
}

export const PASSWORD = "correct horse battery";

/** Signs up a new account through the form and returns its email; the password is PASSWORD. */
export async function signUp(page: Page, fullName = "Ada Test"): Promise<string> {
  await page.goto("/auth/signup");
  await untilHydrated(page);
  const email = await submitSignUp(page, fullName);
  await page.waitForURL("/dashboard");
  return email;
}

/** Sends the sign-up form that is open, for a new account. Returns its email; the password is PASSWORD. */
export async function submitSignUp(page: Page, fullName = "Ada Test"): Promise<string> {
  const email = `${crypto.randomUUID()}@test.example`;
  await page.getByLabel("Name").fill(fullName);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Create account" }).click();
  return email;
}

/**
 * Signs the browser context of `page` up to a new account, and opens no page: the form and the dashboard would take a
 * second of processor time. Returns its email; the password is PASSWORD.
 */
export async function signUpByRequest(page: Page, fullName = "Ada Test"): Promise<string> {
  const email = `${crypto.randomUUID()}@test.example`;
  const form = { fullName, email, password: PASSWORD };
  const response = await page.request.post("/auth/signup", { form, maxRedirects: 0 });
  expect(response.headers().location).toBe("/dashboard");
  return email;
}

export async function logIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.goto("/auth/login");
  await untilHydrated(page);
  await submitLogIn(page, email, password);
}

/** Sends the log-in form that is open: a page that is there already costs no load. */
export async function submitLogIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Log in", exact: true }).click();
}

/** A control of every page that needs scripts: the theme button or, in the introduction, the button for the next screen. */
const NEEDS_SCRIPTS = "header button[aria-label$=' theme'], [aria-label=Introduction] ~ footer button";

/**
 * Waits until the page is hydrated and the effects of its first render have run. Returns at once if the browser runs no
 * scripts. Before that, key presses are lost, links and forms load whole pages, and the controls for browsers without scripts
 * are still on the page.
 */
export async function untilHydrated(page: Page): Promise<void> {
  const control = page.locator(NEEDS_SCRIPTS);
  const isEnabled = control.and(page.locator(":enabled"));
  const isWithoutScripts = control.filter({ visible: false });
  await expect(isEnabled.or(isWithoutScripts)).toBeAttached();
}

/** Holds the page's scripts back until the returned function is called. */
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
