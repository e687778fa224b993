import type { Browser, BrowserContext, Page } from "@playwright/test";
import { allowConsole, expect, holdScripts, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { simulatePhone } from "#tests/e2e/native/native-bridge.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

const DEMO = "demo@gmail.example";
const SECOND = "second@gmail.example";
const CONNECTED = "Gmail account connected successfully.";

// Google keeps one grant per mailbox, so disconnecting here would end a connection that an earlier test left open.
test.afterEach(async ({ page, copy }) => {
  const form = { intent: "disconnect" };
  await page.request.post("/gmail-sync", { form, headers: { Origin: copy.url } });
  expect(await (await page.request.get("/gmail-sync/status")).json()).toMatchObject({ connected: false });
});

test("connects a visitor's Gmail, shows the mailbox's numbers and messages in that browser only, moves it to the new account, asks to reconnect after Google ended the grant, disconnects and connects again", {
  tag: "@nightly",
}, async ({ page, browser, copy }) => {
  allowConsole(page, /409/);
  await page.goto("/gmail-sync");
  await expect(page.getByText("No Gmail account connected")).toBeVisible();
  await expect(page.getByRole("button", { name: "Start Initial Sync" })).toBeDisabled();
  await expect(page.getByText("Connect Gmail Account").filter({ visible: true })).toHaveCount(1);
  await expect(page.getByText("an emulator with 250 made-up messages stands in for Google")).toBeVisible();
  await connect(page);
  await expectConnected(page);
  await expect(page.getByRole("button", { name: "Reconnect Gmail Account" })).toBeVisible();
  await expect(page.getByText("No sync data available")).toBeVisible();
  await page.getByRole("button", { name: "Load Data" }).click();

  await page.getByRole("button", { name: "Start Initial Sync" }).click();
  await expect(page.getByText("Sync completed")).toBeVisible();
  await expect(page.getByText("100 messages synced")).toBeVisible();
  await expect(tile(page, "Total Messages")).toHaveText("250");
  await expect(tile(page, "Recent Messages")).toHaveText("10");
  const today = await page.evaluate(() => new Intl.DateTimeFormat("en-US", { dateStyle: "medium" }).format());
  await expect(tile(page, "Last Sync")).toContainText(today);
  await expect(tile(page, "Last Sync").getByTitle("just now")).toBeVisible();
  await expect(page.getByText("Showing 10 of 100 synced messages")).toBeVisible();

  const held = await newestAtGoogle(page, copy);
  const items = page.getByRole("list", { name: "Recent messages" }).getByRole("listitem");
  await expect(items).toHaveCount(10);
  for (const [n, message] of held.entries()) {
    await expect(items.nth(n)).toContainText(message.subject || "(No Subject)");
    await expect(items.nth(n)).toContainText(message.snippet);
    await expect(items.nth(n).locator("time")).toHaveText(/^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$/);
    await expect(items.nth(n).locator("time")).toHaveAttribute("title", /ago|just now|yesterday/);
  }
  expect(held.some((message) => message.subject === "")).toBe(true);
  await expect(page.getByRole("heading", { name: "At a glance" })).toBeVisible();
  await page.getByRole("button", { name: "Refresh Data" }).click();
  await expect(tile(page, "Total Messages")).toHaveText("250");
  await page.getByRole("button", { name: "Start Initial Sync" }).click();
  await expect(page.getByText("Nothing new since the last sync")).toBeVisible();

  await test.step("another browser, before and after it has an account", () => expectNoneElsewhere(browser, copy));

  await test.step("the visitor's new account", async () => {
    await signUpByRequest(page);
    await page.goto("/gmail-sync");
    await expect(tile(page, "Total Messages")).toHaveText("250");
    await expect(page.getByText(DEMO, { exact: true })).toBeVisible();
  });

  await test.step("a grant that Google ended", async () => {
    const token = await ownToken(page, copy);
    await page.request.post(`${copy.demo.google.url}/oauth2/revoke`, { form: { token } });
    await page.getByRole("button", { name: "Start Initial Sync" }).click();
    await expect(page.getByText("Sync failed")).toBeVisible();
    await expect(page.getByText(`Google ended the connection to ${DEMO}`)).toBeVisible();
    await connect(page);
    await expectConnected(page);
  });

  await page.getByRole("button", { name: "Turn on automatic sync" }).click();
  await expect(page.getByRole("button", { name: "Turn off automatic sync" })).toBeVisible();
  await disconnect(page);
  await expect(page.getByText("No Gmail account connected")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Sync Status" })).toBeHidden();
  // The message about the connection before this one.
  await expect(page.getByText(CONNECTED)).toHaveCount(0);
  await connect(page);
  await expectConnected(page);
  await expect(page.getByText("No sync data available")).toBeVisible();
});

test("asks before disconnecting, and disables the button until the scripts have loaded", { tag: "@nightly" }, async ({
  page,
}) => {
  await page.goto("/gmail-sync");
  await connect(page);
  await expectConnected(page);
  const releaseScripts = await holdScripts(page);
  await page.goto("/gmail-sync", { waitUntil: "domcontentloaded" });
  await expect(page.getByRole("button", { name: "Disconnect Gmail" })).toBeDisabled();
  releaseScripts();
  await page.getByRole("button", { name: "Disconnect Gmail" }).click();
  await page.getByRole("dialog", { name: "Disconnect Gmail?" }).getByRole("button", { name: "Keep it" }).click();
  await page.reload();
  await expect(page.getByText("Gmail account is connected")).toBeVisible();
});

test("explains a permission that was not granted", { tag: "@nightly" }, async ({ page }) => {
  await signUpByRequest(page);
  await page.goto("/gmail-sync");
  await connect(page, { untick: true });
  await expect(page.getByRole("alert")).toContainText("Google didn't grant access to read your email");
});

test("explains a cancellation and a closed window, and refuses to replace the account with another", {
  tag: "@nightly",
}, async ({ page }) => {
  await signUpByRequest(page);
  await page.goto("/gmail-sync");
  await test.step("a cancellation at Google", async () => {
    await connect(page, { button: "Cancel" });
    await expect(page.getByText("Connection Failed")).toBeVisible();
    await expect(page.getByRole("alert")).toContainText("You didn't allow access at Google");
    await expect(page.getByRole("button", { name: "Connect Gmail Account" })).toBeEnabled();
    await expect(page.getByText("No Gmail account connected")).toBeVisible();
  });
  await test.step("a closed window", async () => {
    const popup = await openGoogle(page);
    await expect(page.getByRole("button", { name: "Connecting..." })).toBeDisabled();
    await popup.close();
    await expect(page.getByRole("alert")).toContainText("Google's window was closed");
    await expect(page.getByRole("button", { name: "Connect Gmail Account" })).toBeEnabled();
  });
  await test.step("another account", async () => {
    await connect(page);
    await expectConnected(page);
    await connect(page, { account: SECOND });
    await expect(page.getByRole("alert")).toContainText("You chose a different Google account");
    await expect(page.getByText(DEMO, { exact: true })).toBeVisible();
  });
});

test("ignores forged messages while it connects in Google's window, shows the mailbox in that browser only, and disconnects", async ({
  page,
  context,
  browser,
  copy,
}) => {
  await page.goto("/gmail-sync");
  await test.step("forged messages from another origin and from our own", async () => {
    const popup = await openGoogle(page);
    // The emulator is another origin, in the window that the page opened.
    await popup.evaluate(() => {
      for (const type of ["GMAIL_OAUTH_SUCCESS", "GMAIL_OAUTH_ERROR"])
        window.opener.postMessage({ type, fault: "denied" }, "*");
    });
    // From our origin, but the server contradicts it.
    const tab = await context.newPage();
    await tab.goto("/robots.txt");
    const checked = page.waitForResponse(/\/gmail-sync\/status/);
    await tab.evaluate(() => new BroadcastChannel("growline-gmail-oauth").postMessage({ type: "GMAIL_OAUTH_SUCCESS" }));
    expect(await (await checked).json()).toMatchObject({ connected: false });
    await expect(page.getByText("Connection Failed")).toBeHidden();
    await expect(page.getByText("Success!")).toBeHidden();
    await expect(page.getByRole("button", { name: "Connecting..." })).toBeVisible();
    await walk(popup);
    await expectConnected(page);
  });
  await test.step("another browser, before and after it has an account", () => expectNoneElsewhere(browser, copy));
  await disconnect(page);
});

test("connects through a window that a COOP header cut off, and on the same page if popups are blocked", {
  tag: "@nightly",
}, async ({ page, context, copy }) => {
  await signUpByRequest(page);
  await page.goto("/gmail-sync");
  await test.step("a window that was cut off", async () => {
    await cutOffByCoop(context, copy);
    const popup = await openGoogle(page);
    await expect(page.getByRole("alert")).toContainText("If it's still open, finish there");
    await walk(popup);
    await expectConnected(page);
    await expect(page.getByRole("alert")).toBeHidden();
    await context.unrouteAll();
    await disconnect(page);
  });
  await test.step("blocked popups", async () => {
    await page.evaluate(() => {
      window.open = () => null;
    });
    await page.getByRole("button", { name: "Connect Gmail Account" }).click();
    await expect(page.getByRole("alert")).toContainText("Your browser blocked Google's window");
    await page.getByRole("link", { name: "Continue on this page" }).click();
    await walk(page);
    await expect(page).toHaveURL("/gmail-sync");
    await expectConnected(page);
  });
});

for (const platform of ["android", "ios"] as const) {
  test(`connects in the ${platform} app through the in-app browser and a link back to the app`, {
    tag: "@nightly",
  }, async ({ browser, copy }) => {
    // Two cookie jars. The in-app browser belongs to somebody else, who started a connection there too.
    const outside = await browser.newContext({ baseURL: copy.url });
    const system = await outside.newPage();
    await signUpByRequest(system, "Somebody Else");
    await system.goto("/gmail-sync");
    await (await openGoogle(system)).close();

    const app = await browser.newContext({ baseURL: copy.url, userAgent: "Mozilla/5.0 (Phone; wv) GrowlineShell" });
    const phone = await simulatePhone(app, platform);
    const page = await app.newPage();
    await page.addInitScript(() => localStorage.setItem("growline.onboarding.app.v1", "seen"));
    await signUpByRequest(page);
    await page.goto("/gmail-sync");
    await page.getByRole("button", { name: "Connect Gmail Account" }).click();
    const opened = async () => (await phone.calls(page)).find(({ name }) => name === "Browser.open")?.options.url;
    await expect.poll(opened).toContain(`${copy.demo.google.url}/o/oauth2/v2/auth`);

    await system.goto(String(await opened()));
    await walk(system);
    const back = system.getByRole("link", { name: "Back to Growline" });
    const link = (await back.getAttribute("href")) ?? "";
    expect(link).toMatch(/^growline:\/\/gmail-sync\/callback\?.*code=/);
    // Opened outside the app, the link connects nobody and can still be used.
    const again = await outside.request.get(link.replace("growline:/", ""));
    expect(await again.text()).toContain("growline://gmail-sync/callback");
    expect(await (await outside.request.get("/gmail-sync/status")).json()).toMatchObject({ connected: false });

    await phone.fire(page, "App", "appUrlOpen", { url: link });
    await expectConnected(page);
    await expect(page).toHaveURL("/gmail-sync");
    expect((await phone.calls(page)).map(({ name }) => name)).toContain("Browser.close");
    // The same link again: its state was already used.
    await phone.fire(page, "App", "appUrlOpen", { url: link });
    await expect(page.getByText("Connection Failed")).toBeVisible();
    await expect(page.getByText(DEMO, { exact: true })).toBeVisible();
    await disconnect(page);
    await app.close();
    await outside.close();
  });
}

test.describe("without scripts", () => {
  test.use({ javaScriptEnabled: false });

  test("connects, syncs and disconnects", async ({ page }) => {
    await page.goto("/gmail-sync");
    await expect(page.getByText("Connect Gmail Account").filter({ visible: true })).toHaveCount(1);
    await page.getByRole("link", { name: "Connect Gmail Account" }).click();
    await walk(page);
    await expect(page.getByText("Gmail account is connected")).toBeVisible();
    await page.getByRole("button", { name: "Start Initial Sync" }).click();
    await expect(tile(page, "Total Messages")).toHaveText("250");
    await page.getByText("Disconnect Gmail", { exact: true }).filter({ visible: true }).click();
    await page.getByRole("button", { name: "Disconnect", exact: true }).click();
    await expect(page.getByText("No Gmail account connected")).toBeVisible();
  });
});

/** Opens Google's window from the page at /gmail-sync. */
async function openGoogle(page: Page): Promise<Page> {
  const opened = page.waitForEvent("popup");
  await page.getByRole("button", { name: /onnect Gmail Account/ }).click();
  const popup = await opened;
  await expect(popup.getByText("Sign in to Google")).toBeVisible();
  return popup;
}

type Walk = { account?: string; untick?: boolean; button?: "Continue" | "Cancel" };

/** Clicks through Google's pages. */
async function walk(google: Page, { account = DEMO, untick = false, button = "Continue" }: Walk = {}): Promise<void> {
  await google.getByRole("button", { name: account }).click();
  if (untick) await google.getByLabel("View your email messages and settings").uncheck();
  await google.getByRole("button", { name: button }).click();
}

async function connect(page: Page, options: Walk = {}): Promise<void> {
  await walk(await openGoogle(page), options);
}

async function expectConnected(page: Page): Promise<void> {
  await expect(page.getByText(CONNECTED)).toBeVisible();
  await expect(page.getByText("Gmail account is connected")).toBeVisible();
}

/** Expects that another browser sees nothing of the demo mailbox, as a visitor and with a new account. */
async function expectNoneElsewhere(browser: Browser, copy: LocalCopy): Promise<void> {
  const elsewhere = await browser.newContext({ baseURL: copy.url });
  const other = await elsewhere.newPage();
  const expectNone = async () => {
    const html = await (await other.request.get("/gmail-sync")).text();
    expect(html).toContain("No Gmail account connected");
    expect(html).not.toContain(DEMO);
  };
  await expectNone();
  await signUpByRequest(other);
  await expectNone();
  await elsewhere.close();
}

async function disconnect(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Disconnect Gmail" }).click();
  await page.getByRole("dialog", { name: "Disconnect Gmail?" }).getByRole("button", { name: "Disconnect" }).click();
  await expect(page.getByText("No Gmail account connected")).toBeVisible();
}

function tile(page: Page, label: string) {
  return page.locator("dl > div").filter({ hasText: label }).locator("dd");
}

/** Adds the header that severs a window from its opener to Google's pages. */
async function cutOffByCoop(context: BrowserContext, copy: LocalCopy): Promise<void> {
  await context.route(`${copy.demo.google.url}/**`, async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    await route.fulfill({ response, headers: { ...response.headers(), "cross-origin-opener-policy": "same-origin" } });
  });
}

/** Gets a token of the demo mailbox from the emulator. It belongs to the same grant as every other token. */
async function ownToken(page: Page, copy: LocalCopy): Promise<string> {
  const { google } = copy.demo;
  const redirectUri = `${copy.url}/gmail-sync/callback`;
  const scope = "https://www.googleapis.com/auth/gmail.readonly";
  const consent = await page.request.post(`${google.url}/o/oauth2/v2/auth/consent`, {
    maxRedirects: 0,
    form: { email: DEMO, client_id: google.clientId, redirect_uri: redirectUri, granted: scope, decision: "allow" },
  });
  const code = new URL(consent.headers().location ?? "").searchParams.get("code") ?? "";
  const response = await page.request.post(`${google.url}/oauth2/token`, {
    form: {
      grant_type: "authorization_code",
      code,
      client_id: google.clientId,
      client_secret: google.clientSecret,
      redirect_uri: redirectUri,
    },
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function newestAtGoogle(page: Page, copy: LocalCopy): Promise<{ subject: string; snippet: string }[]> {
  const headers = { Authorization: `Bearer ${await ownToken(page, copy)}` };
  const messages = `${copy.demo.google.url}/gmail/v1/users/me/messages`;
  const list = (await (await page.request.get(`${messages}?maxResults=10`, { headers })).json()) as {
    messages: { id: string }[];
  };
  return Promise.all(
    list.messages.map(async ({ id }) => {
      const message = (await (await page.request.get(`${messages}/${id}`, { headers })).json()) as {
        snippet: string;
        payload: { headers: { name: string; value: string }[] };
      };
      const subject = message.payload.headers.find((header) => header.name === "Subject")?.value ?? "";
      return { subject, snippet: message.snippet };
    }),
  );
}
