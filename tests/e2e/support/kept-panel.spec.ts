import type { Page } from "@playwright/test";
import { allowConsole, expect, logIn, signUp, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { bubbles, meet, openChat, say, startChat } from "./chat-steps.ts";

const PHONE = { width: 390, height: 800 };

test("stays open on the next page, with the thread painted before the server answers, and leaves the focus alone", async ({
  page,
}) => {
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

test("stays minimized or closed on the next page, and counts what is new", async ({ browser, copy, page }) => {
  const { agent } = await meet({ browser, copy, page }, "Minna");
  await page.getByRole("button", { name: "Minimize chat" }).click();
  await page.reload();
  const bar = page.getByRole("region", { name: "Support Chat" });
  await expect(bar).toBeVisible();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  await say(agent, "one");
  await expect(bar).toContainText("1 new");
  await page.reload();
  await expect(bar).toContainText("1 new");
  await bar.getByRole("button", { name: /^Support Chat/ }).click();
  await expect(bubbles(page).last()).toHaveText("one");
  await expect(page.getByPlaceholder("Type your message...")).toBeFocused();
  await expect(agent.getByText("· Seen")).toBeVisible();
  await page.keyboard.press("Escape");
  const connected = page.waitForEvent("websocket");
  await page.reload();
  await expect(page.getByRole("button", { name: "Open support chat", exact: true })).toBeVisible();
  // Closed, it connects as well, to count what is new.
  await connected;
  await expect(page.getByRole("dialog").or(bar)).toHaveCount(0);
  await agent.context().close();
});

test("forgets the thread and the view at log-out, and shows neither to the next account", async ({ page }) => {
  await signUpByRequest(page, "Sid Secret");
  await startChat(page, "Sid");
  await say(page, "my secret order");
  await expect(page.getByText("· Sent")).toBeVisible();
  expect(await remembered(page)).toContain("my secret order");
  await page.goto("/dashboard");
  await expect(bubbles(page).last()).toHaveText("my secret order");
  // Its chat may try to connect once more before the page changes.
  allowConsole(page, /WebSocket connection/);
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  await expect.poll(() => remembered(page)).not.toContain("secret");
  await watchFor(page, "my secret order");
  await signUp(page, "Nell Next");
  await openChat(page);
  await expect(page.getByRole("button", { name: "Start Chat" })).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, "wasShown"))).toBe(false);
});

test("shows no thread of an account that was left in another tab while this one was elsewhere", async ({ page }) => {
  const email = await signUpByRequest(page, "Tom Tab");
  await startChat(page, "Tom");
  await say(page, "my secret order");
  await expect(page.getByText("· Sent")).toBeVisible();
  await page.goto("about:blank");
  const other = await page.context().newPage();
  // Its chat may try to connect once more before the page changes.
  allowConsole(other, /WebSocket connection/);
  await other.goto("/dashboard");
  await other.getByRole("button", { name: "Log out" }).click();
  await expect(other.getByRole("link", { name: "Log in" })).toBeVisible();
  await watchFor(page, "my secret order");
  await page.goto("/");
  await expect(page.getByRole("button", { name: "Open support chat" })).toBeVisible();
  await expect.poll(() => remembered(page)).not.toContain("secret");
  await openChat(page);
  await expect(page.getByRole("button", { name: "Start Chat" })).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(window, "wasShown"))).toBe(false);

  await logIn(page, email);
  await openChat(page);
  await expect(bubbles(page).last()).toHaveText("my secret order");
});

test("forgets the thread of a conversation that its visitor has no access to", async ({ context, page }) => {
  await startChat(page, "Cato");
  await say(page, "hello");
  await expect(page.getByText("· Sent")).toBeVisible();
  await context.clearCookies();
  await page.reload();
  await expect(page.getByRole("button", { name: "Start Chat" })).toBeVisible();
  await expect(bubbles(page)).toHaveCount(0);
  await expect.poll(() => remembered(page)).not.toContain("hello");
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
