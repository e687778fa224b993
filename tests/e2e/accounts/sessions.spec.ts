import type { BrowserContext, Page, Route } from "@playwright/test";
import { ONBOARDING_KEYS } from "#app/native/gate/onboarding-flags.ts";
import { allowConsole, expect, logIn, signUp, signUpByRequest, test, untilHydrated } from "#tests/e2e/fixtures.ts";

const KEY = "growline.session.v1";
const REFRESH = "**/auth/v1/token?grant_type=refresh_token";
type Stored = { access_token: string; refresh_token: string; expires_at: number };

test("issues tokens to the browser at log-in, and revokes them in all tabs at log-out", { tag: "@nightly" }, async ({
  page,
  context,
}) => {
  await signUp(page);
  const stored = await storedSession(page);
  expect(stored.expires_at * 1000).toBeGreaterThan(Date.now());
  const headers = { Authorization: `Bearer ${stored.access_token}` };
  expect((await page.request.get("/auth/v1/user", { headers })).status()).toBe(200);
  const other = await context.newPage();
  await openRestored(other, "/dashboard");
  expect((await storedSession(other)).refresh_token).toBe(stored.refresh_token);

  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  await expect(other).toHaveURL(/\/auth\/login/);
  for (const tab of [page, other]) await expect.poll(() => readStored(tab)).toBeNull();
  expect((await page.request.get("/auth/v1/user", { headers })).status()).toBe(403);
});

test("refreshes three tabs in turn with one session, and keeps all of them logged in", async ({ page, context }) => {
  await openSignedUp(page, "/dashboard/account");
  const tabs = [page, await context.newPage(), await context.newPage()];
  for (const tab of tabs.slice(1)) await openRestored(tab, "/dashboard/account");
  const before = await expireAccessToken(page);
  let [inFlight, maxInFlight] = [0, 0];
  const refreshTokens = new Set<string>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await context.route(REFRESH, async (route) => {
    inFlight += 1;
    maxInFlight = Math.max(maxInFlight, inFlight);
    await released;
    const response = await route.fetch();
    refreshTokens.add(((await response.json()) as Stored).refresh_token);
    inFlight -= 1;
    await route.fulfill({ response });
  });
  await Promise.all(tabs.map((tab) => tab.reload()));
  await expect.poll(() => refreshing(page)).toBe(tabs.length);
  release();
  await untilRefreshed(page);
  expect((await storedSession(page)).refresh_token).not.toBe(before.refresh_token);
  expect(maxInFlight).toBe(1);
  expect(refreshTokens.size).toBe(1);
  // A tab that had lost the session would be on the log-in page.
  for (const tab of tabs) await expect(tab.getByRole("heading", { name: "Profile and security" })).toBeVisible();
  expect((await page.request.get("/dashboard/account")).url()).toContain("/dashboard/account");
  const { access_token } = await storedSession(page);
  const headers = { Authorization: `Bearer ${access_token}` };
  expect((await page.request.get("/auth/v1/user", { headers })).status()).toBe(200);
});

test("refreshes three ticks before the token expires, in an idle page", { tag: "@nightly" }, async ({ page }) => {
  await page.clock.install();
  await signUp(page);
  const before = await storedSession(page);
  await page.clock.fastForward("13:00");
  await page.clock.runFor("00:45");
  await expect.poll(async () => (await readStored(page))?.refresh_token).not.toBe(before.refresh_token);
});

test("logs all tabs out while a refresh hangs, and drops it when it finishes", async ({ page, context }) => {
  allowConsole(page, /status of 40\d|ERR_FAILED|ERR_ABORTED/);
  await openSignedUp(page, "/dashboard");
  const other = await context.newPage();
  await openRestored(other, "/dashboard");
  const held = holdRefresh(context);
  const { access_token } = await expireAccessToken(page);
  await page.reload();
  const route = await held;
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  await expect(other).toHaveURL(/\/auth\/login/);
  for (const tab of [page, other]) await expect.poll(() => readStored(tab)).toBeNull();
  const headers = { Authorization: `Bearer ${access_token}` };
  expect((await page.request.get("/auth/v1/user", { headers })).status(), "its own tokens").toBe(403);
  await route.fulfill({ json: lateResponse() }).catch(() => {});
  await untilRefreshed(page);
  expect(await readStored(page)).toBeNull();
  await page.reload();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  expect(await readStored(page)).toBeNull();
});

test("keeps the session after a failed refresh while its access token is valid", async ({ page, context }) => {
  allowConsole(page, /status of 400/);
  await page.clock.install();
  const before = await openSignedUp(page, "/dashboard");
  let refused = 0;
  await context.route(REFRESH, (route) => {
    refused += 1;
    return route.fulfill({ status: 400, json: { code: 400, error_code: "refresh_token_not_found", msg: "No" } });
  });
  await page.clock.fastForward("13:00");
  await page.clock.runFor("00:45");
  await expect.poll(() => refused).toBeGreaterThan(0);
  expect(await readStored(page)).toEqual(before);
  await page.clock.fastForward("02:00");
  await page.clock.runFor("01:30");
  await expect.poll(() => readStored(page), "discarded once the access token has expired").toBeNull();
});

test("restores a lost cookie from the stored session", async ({ page, context }) => {
  const { refresh_token } = await openSignedUp(page, "/dashboard");
  await context.clearCookies();
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Log out" })).toBeVisible();
  expect((await storedSession(page)).refresh_token).not.toBe(refresh_token);
});

test("discards a stored session that cannot be restored", async ({ page }) => {
  allowConsole(page, /status of 400/);
  await page.goto("/");
  const dead = { access_token: "a.b.c", refresh_token: "x.y.z", expires_at: 1 };
  await page.evaluate(([key, value]) => localStorage.setItem(key, value), [KEY, JSON.stringify(dead)] as const);
  await page.reload();
  await expect.poll(() => readStored(page)).toBeNull();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
});

test("loads nothing of the session library for a visitor", { tag: "@nightly" }, async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => scripts.push(request.url()));
  await page.goto("/");
  await untilHydrated(page);
  expect(scripts.filter((url) => /browser-session|shared-refresh/.test(url))).toEqual([]);
});

/** Signs up by request, opens `path`, and returns the session that the page stores. */
async function openSignedUp(page: Page, path: string): Promise<Stored> {
  await signUpByRequest(page);
  await page.goto(path);
  return storedSession(page);
}

/**
 * Opens `path` and waits until the tab has restored the stored session. A later restore would use tokens that are revoked by
 * then, or write them back.
 */
async function openRestored(tab: Page, path: string): Promise<void> {
  const restored = tab.waitForResponse("**/auth/v1/user");
  await tab.goto(path);
  await (await restored).finished();
  // The page stores what it has read.
  await tab.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
}

function holdRefresh(context: BrowserContext): Promise<Route> {
  return new Promise((resolve) => context.route(REFRESH, (route) => resolve(route)));
}

/** A tab holds this lock while it refreshes. */
const LOCK = "growline.session.refresh";

/** Waits until no tab refreshes or waits for its turn. */
async function untilRefreshed(page: Page): Promise<void> {
  await page.evaluate((lock) => navigator.locks.request(lock, () => {}), LOCK);
}

/** Returns how many tabs refresh or wait for their turn. */
function refreshing(page: Page): Promise<number> {
  return page.evaluate(async (lock) => {
    const { held = [], pending = [] } = await navigator.locks.query();
    return [...held, ...pending].filter(({ name }) => name === lock).length;
  }, LOCK);
}

/** Stores an expired access token, so that the next page must refresh. Returns the session that was stored before. */
async function expireAccessToken(page: Page): Promise<Stored> {
  const stored = await storedSession(page);
  const [head = "", payload = ""] = stored.access_token.split(".");
  const claims = { ...JSON.parse(Buffer.from(payload, "base64url").toString()), exp: 1000 };
  const expired = `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.AAAA`;
  const value = JSON.stringify({ ...stored, access_token: expired, expires_at: 1000 });
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [KEY, value] as const);
  return stored;
}

function lateResponse() {
  const soon = Math.floor(Date.now() / 1000) + 900;
  const claims = Buffer.from(JSON.stringify({ exp: soon })).toString("base64url");
  const access_token = `${Buffer.from("{}").toString("base64url")}.${claims}.AAAA`;
  return { access_token, refresh_token: "late", expires_at: soon, expires_in: 900, token_type: "bearer", user: {} };
}

async function storedSession(page: Page): Promise<Stored> {
  await expect.poll(() => readStored(page), "a stored session").not.toBeNull();
  return (await readStored(page)) as Stored;
}

function readStored(page: Page): Promise<Stored | null> {
  return page.evaluate((key) => JSON.parse(localStorage.getItem(key) ?? "null") as Stored | null, KEY);
}

test("removes unsent input from the storage at log-out, but not the theme, the introduction and the chat", async ({
  page,
  copy,
}) => {
  const { email, password } = copy.demo.customer;
  // The widget drops the id of a conversation that it cannot open.
  const headers = { Origin: copy.url };
  const started = await page.request.post("/support/session", { data: { name: "Ada" }, headers });
  const { session } = (await started.json()) as { session: { session_id: string } };
  // A signed-in page looks for the account's conversation, which would take this one over.
  await page.route("**/support/session", (route) => route.fulfill({ json: { session: null, profile: null } }));
  const looked = page.waitForResponse("**/support/session");
  await logIn(page, email, password);
  await page.waitForURL("/dashboard");
  await looked;
  await page.getByRole("button", { name: "Use the light theme" }).click();
  await page.getByLabel("Link", { exact: true }).fill("https://instagram.com/p/private");
  const drafts = () => page.evaluate(() => JSON.stringify(sessionStorage).includes("p/private"));
  await expect.poll(drafts).toBe(true);
  await page.reload();
  await expect(page.getByLabel("Link", { exact: true })).toHaveValue("https://instagram.com/p/private");
  const kept = {
    support_session_id: session.session_id,
    [ONBOARDING_KEYS.web]: "true",
    [ONBOARDING_KEYS.app]: "true",
  };
  await page.evaluate((items) => {
    for (const [key, value] of Object.entries(items)) localStorage.setItem(key, value);
  }, kept);
  await page.unrouteAll();
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL("/");
  await expect.poll(drafts).toBe(false);
  expect(await page.evaluate(() => ({ ...localStorage }))).toMatchObject({ theme: "light", ...kept });
});
