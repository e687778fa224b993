import type { Page } from "@playwright/test";
import { allowConsole, expect, PASSWORD, signUpByRequest, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { bubbles, openChat, say, startChat } from "./chat-steps.ts";

const PHONE = { width: 390, height: 800 };

test("stays open on the next page, with the thread painted before the server answers, and leaves the focus alone", {
  tag: "@nightly",
}, async ({ page }) => {
  await page.addInitScript(() => {
    Object.assign(window, { shifted: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        Object.assign(window, {
          shifted: Number(Reflect.get(window, "shifted")) + Number(Reflect.get(entry, "value")),
        });
    }).observe({ type: "layout-shift", buffered: true });
  });
  await startChat(page, "Otis");
  await say(page, "Where is my order?");
  await expect(page.getByText("· Sent")).toBeVisible();
  const messages = [/^Hi Otis/, "Where is my order?"];
  const input = page.getByPlaceholder("Type your message...");
  await input.fill("Half a sen");
  for (const path of ["/", "/privacy-policy"]) {
    const isLast = path !== "/";
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/support/**", (route) => isReleased.then(() => route.continue()));
    await page.goto(path);
    await expect(page.getByRole("dialog", { name: "Support Chat" })).toBeVisible();
    await expect(bubbles(page)).toHaveText(messages);
    await expect(input).toHaveValue("Half a sen");
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    // Sent as soon as it is known where to.
    if (isLast) await input.press("Enter");
    const socket = page.waitForEvent("websocket");
    release();
    await socket;
    await expect(bubbles(page)).toHaveText(isLast ? [...messages, "Half a sen"] : messages);
    await expect(input).toHaveValue(isLast ? "" : "Half a sen");
    if (!isLast) expect(await page.evaluate(() => Reflect.get(window, "shifted"))).toBeLessThan(0.001);
    await page.unrouteAll({ behavior: "wait" });
  }
  await expect(page.getByText("· Sent")).toBeVisible();
});

test("forgets the thread at log-out in this tab or another, shows it to no next account, and again after logging in", async ({
  page,
}) => {
  const email = await signUpByRequest(page, "Sid Secret");
  await page.goto("/dashboard");
  await openChat(page);
  const start = page.getByRole("button", { name: "Start Chat" });

  await test.step("prefills the form from the customer's profile", async () => {
    await expect(page.getByLabel("Your name")).toHaveValue("Sid Secret");
    await expect(page.getByLabel("Your email (optional)")).toHaveValue(email);
    await start.click();
    await say(page, "my secret order");
    await expect(page.getByText("· Sent")).toBeVisible();
    expect(await remembered(page)).toContain("my secret order");
  });

  // Their chats may try to connect once more before the page changes.
  allowConsole(page, /WebSocket connection|socket.* 404/);
  const other = await page.context().newPage();
  allowConsole(other, /WebSocket connection|socket.* 404/);
  const logOutInOther = async () => {
    await other.goto("/dashboard");
    await untilHydrated(other);
    await other.getByRole("button", { name: "Log out" }).click();
    await expect(other.getByRole("link", { name: "Log in" })).toBeVisible();
  };

  await test.step("returns an open chat to its start when its user logs out in another tab", async () => {
    await logOutInOther();
    // The dashboard leaves for the landing page at log-out, where the chat is closed.
    await expect(async () => {
      const closed = page.getByRole("button", { name: "Open support chat" });
      if (await closed.isVisible()) await closed.click();
      await expect(start).toBeVisible({ timeout: 1000 });
    }).toPass();
    await expect(page.getByText("my secret order")).toHaveCount(0);
    await expect.poll(() => remembered(page)).not.toContain("secret");
  });

  await test.step("shows it again after logging in", async () => {
    await signInByRequest(page, email);
    await page.goto("/dashboard");
    await openChat(page);
    await expect(bubbles(page).last()).toHaveText("my secret order");
  });

  await test.step("shows no thread of an account that was left in another tab while this one was elsewhere", async () => {
    await expect.poll(() => remembered(page)).toContain("my secret order");
    await page.goto("about:blank");
    await logOutInOther();
    await watchFor(page, "my secret order");
    await page.goto("/");
    await expect(page.getByRole("button", { name: "Open support chat" })).toBeVisible();
    await expect.poll(() => remembered(page)).not.toContain("secret");
    await openChat(page);
    await expect(start).toBeVisible();
    expect(await page.evaluate(() => Reflect.get(window, "wasShown"))).toBe(false);
  });

  await test.step("forgets it at a log-out in this tab, and shows it to no next account", async () => {
    await signInByRequest(page, email);
    await page.goto("/dashboard");
    await openChat(page);
    await expect(bubbles(page).last()).toHaveText("my secret order");
    await expect.poll(() => remembered(page)).toContain("my secret order");
    await page.getByRole("button", { name: "Log out" }).click();
    await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
    await expect.poll(() => remembered(page)).not.toContain("secret");
    await signUpByRequest(page, "Nell Next");
    await page.goto("/dashboard");
    await openChat(page);
    await expect(start).toBeVisible();
    expect(await page.evaluate(() => Reflect.get(window, "wasShown"))).toBe(false);
  });
});

test("on a phone stays open through a reload, where Back still closes it, and covers no page that was asked for", {
  tag: "@nightly",
}, async ({ page }) => {
  await page.setViewportSize(PHONE);
  await startChat(page, "Pho");
  const chat = page.getByRole("dialog", { name: "Support Chat" });
  const launcher = page.getByRole("button", { name: "Open support chat" });
  await page.reload();
  await expect(chat).toHaveAttribute("aria-modal", "true");
  await expect(page.getByPlaceholder("Type your message...")).toBeFocused();
  await page.evaluate(() => history.back());
  await expect(launcher).toBeFocused();
  expect(new URL(page.url()).pathname).toBe("/");

  await launcher.click();
  await expect(chat).toBeVisible();
  const connected = page.waitForEvent("websocket");
  await page.goto("/privacy-policy");
  await expect(launcher).toBeVisible();
  await connected;
  await expect(chat).toHaveCount(0);
  // The page where it was open shows it again.
  await page.goBack();
  await expect(chat).toBeVisible();
  await page.evaluate(() => history.back());
  await expect(launcher).toBeVisible();
  expect(new URL(page.url()).pathname).toBe("/");
});

/** Logs the context of `page` in, and opens no page. */
async function signInByRequest(page: Page, email: string): Promise<void> {
  const form = { email, password: PASSWORD };
  const response = await page.request.post("/auth/login", { form, maxRedirects: 0 });
  expect(response.headers().location).toBe("/dashboard");
}

function remembered(page: Page): Promise<string> {
  return page.evaluate(() => JSON.stringify({ ...sessionStorage }));
}

/** Has each page from here on note in `wasShown` whether it ever showed the text. */
async function watchFor(page: Page, text: string): Promise<void> {
  await page.addInitScript((wanted) => {
    Object.assign(window, { wasShown: false });
    new MutationObserver(() => {
      if (document.body?.textContent?.includes(wanted)) Object.assign(window, { wasShown: true });
    }).observe(document, { childList: true, subtree: true, characterData: true });
  }, text);
}
