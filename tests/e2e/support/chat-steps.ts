import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { expect, sessionOf } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

/** Console errors of the browser, and of Remix when it prefetches routes, while a test cuts the connection. */
export const CUT_OFF =
  /WebSocket connection|ERR_CONNECTION|ERR_INTERNET|Failed to load resource|ERR_INCOMPLETE|ERR_EMPTY_RESPONSE|Failed to fetch/;

/** One gray pixel. */
export const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNsaGj4DwAFhAKAjM1mJgAAAABJRU5ErkJggg==",
  "base64",
);

export const CAT = { name: "cat.png", mimeType: "image/png", buffer: PNG };

/** Opens the panel, unless it is open: an open one stays so on the tab's next page. */
export async function openChat(page: Page): Promise<void> {
  const panel = page.getByRole("dialog", { name: "Support Chat" });
  await expect(async () => {
    if (!(await panel.isVisible()))
      await page.getByRole("button", { name: "Open support chat" }).click({ timeout: 1000 });
    await expect(panel).toBeVisible({ timeout: 1000 });
  }).toPass();
}

/** Waits until a signed-in page has looked whether its account has a conversation, and goes on in it. */
export async function untilLooked(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem("growline.support.looked"))).not.toBeNull();
}

export async function startChat(page: Page, name: string, email = ""): Promise<void> {
  await page.goto("/");
  await openChat(page);
  await page.getByLabel("Your name").fill(name);
  if (email !== "") await page.getByLabel("Your email").fill(email);
  await page.getByRole("button", { name: "Start Chat" }).click();
  await expect(page.getByPlaceholder("Type your message...")).toBeVisible();
}

/** Starts a chat on `page` and opens it as an agent. `name`: the visitor's, made unique. */
export async function meet(
  { browser, copy, page }: { browser: Browser; copy: LocalCopy; page: Page },
  baseName: string,
): Promise<{ agent: Page; name: string }> {
  const agent = await openConsole(browser, copy, "agent");
  const name = `${baseName} ${Date.now()}`;
  await startChat(page, name);
  await row(agent, name).click();
  return { agent, name };
}

/** Closes the conversation that is open in the console, and returns to it from the one the console goes on to. */
export async function closeAndReturn(agent: Page, name: string): Promise<void> {
  const heading = agent.getByRole("heading", { name, level: 1 });
  await agent.getByRole("button", { name: "Close", exact: true }).click();
  await expect(heading).toHaveCount(0);
  await agent.goBack();
  await expect(heading).toBeVisible();
}

export async function say(page: Page, text: string): Promise<void> {
  const input = page.getByPlaceholder("Type your message...");
  await input.fill(text);
  await input.press("Enter");
}

export function bubbles(page: Page) {
  return page.getByRole("log").locator("p");
}

/** Opens a page in a new browser context. */
export async function newPage(browser: Browser, copy: LocalCopy, options: BrowserContextOptions = {}): Promise<Page> {
  return (await browser.newContext({ baseURL: copy.url, ...options })).newPage();
}

/** Opens the console and waits until it is live. */
export async function openConsole(
  browser: Browser,
  copy: LocalCopy,
  who: "agent" | "admin",
  options: BrowserContextOptions = {},
  path = "/admin",
): Promise<Page> {
  const page = await newPage(browser, copy, {
    viewport: { width: 1440, height: 900 },
    storageState: await sessionOf(browser, copy, who),
    ...options,
  });
  await page.goto(path);
  if (path.startsWith("/admin")) await isLive(page);
  return page;
}

export async function isLive(page: Page): Promise<void> {
  await expect(page.getByText("Live", { exact: true })).toBeAttached();
}

/** Returns the conversation's row in the console's list. */
export function row(page: Page, name: string) {
  return page.getByRole("list", { name: "Conversations" }).getByRole("link", { name: new RegExp(name) });
}

export function attach(page: Page, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
  return page.getByLabel("File to send").setInputFiles(file);
}

/** Lets a test cut the connection to the room in every tab of a browser, while pages still load. */
export async function controlConnection(context: BrowserContext) {
  let isCut = false;
  const sockets = new Set<{ close(): Promise<void> }>();
  await context.route("**/support/sessions/**", (route) =>
    isCut ? route.abort("connectionfailed") : route.continue(),
  );
  await context.routeWebSocket(/\/support\/sessions\//, async (socket) => {
    if (isCut) return socket.close();
    socket.connectToServer();
    sockets.add(socket);
  });
  return {
    async cut(): Promise<void> {
      isCut = true;
      await Promise.all([...sockets].map((socket) => socket.close()));
      sockets.clear();
    },
    restore(): void {
      isCut = false;
    },
  };
}

/** Returns how many unsent files the browser has stored. */
export function storedFiles(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open("growline.support.files.v1");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const counting = opening.result.transaction("unsent").objectStore("unsent").count();
          counting.onerror = () => reject(counting.error);
          counting.onsuccess = () => resolve(counting.result);
          opening.result.close();
        };
      }),
  );
}

/** Collects the response status of each upload. */
export function uploadsOf(context: BrowserContext): number[] {
  const statuses: number[] = [];
  context.on("response", (response) => {
    if (response.url().includes("/files?")) statuses.push(response.status());
  });
  return statuses;
}
