import type { Page } from "@playwright/test";
import { auditPage } from "#tests/e2e/axe-audit.ts";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { attach, bubbles, openChat, openConsole, PNG, row, say, startChat } from "./chat-steps.ts";

test("finds no axe violations in the chat and the console", async ({ browser, page, copy }) => {
  test.setTimeout(120_000);
  const agent = await openConsole(browser, copy, "agent");
  await page.goto("/");
  await openChat(page);
  await expect(page.getByLabel("Your name")).toBeVisible();
  await check(page);
  const name = `Axel ${Date.now()}`;
  await startChat(page, name);
  await say(page, "A question");
  await row(agent, name).click();
  await say(agent, "A reply");
  await attach(page, { name: "cat.png", mimeType: "image/png", buffer: PNG });
  await expect(page.getByRole("img", { name: "cat.png" })).toBeVisible();
  await expect(agent.getByRole("img", { name: "cat.png" })).toBeVisible();
  await check(page);
  await check(agent);
  await agent.getByRole("button", { name: "Close", exact: true }).click();
  await expect(page.getByText("This conversation is closed.")).toBeVisible();
  await check(page);
  await page.getByRole("button", { name: "Minimize chat" }).click();
  await check(page);
  await agent.context().close();
});

test("moves the focus into the chat, keeps it there and returns it to the button", async ({ page }) => {
  await page.goto("/");
  const launcher = page.getByRole("button", { name: "Open support chat" });
  // A disabled button takes no focus.
  await expect(launcher).toBeEnabled();
  await launcher.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Your name")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Please enter your name")).toBeVisible();
  await expect(page.getByLabel("Your name")).toBeFocused();
  await page.keyboard.type("Fay");
  await page.keyboard.press("Enter");
  await expect(page.getByPlaceholder("Type your message...")).toBeFocused();
  await page.getByRole("button", { name: "Minimize chat" }).press("Enter");
  await expect(page.getByRole("button", { name: /^Support Chat/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByPlaceholder("Type your message...")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(launcher).toBeFocused();
});

test("announces a new message once and no earlier one", async ({ browser, page, copy }) => {
  const agent = await openConsole(browser, copy, "agent");
  const name = `Anna ${Date.now()}`;
  await startChat(page, name);
  const log = page.getByRole("log", { name: "Messages" });
  // The defaults of a log: polite, additions only.
  await expect(log).toHaveAttribute("role", "log");
  for (const off of ["aria-live", "aria-relevant", "aria-busy"]) await expect(log).not.toHaveAttribute(off);
  await expect(bubbles(page)).toHaveCount(1);
  await log.evaluate((element) => {
    const added: string[] = [];
    Object.assign(window, { added });
    new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const node of addedNodes) added.push(node.textContent ?? "");
    }).observe(element, { childList: true });
  });
  await row(agent, name).click();
  await say(agent, "Listen to this");
  await expect(bubbles(page)).toHaveCount(2);
  const added = await page.evaluate(() => (window as unknown as { added: string[] }).added);
  expect(added).toEqual([expect.stringContaining("Listen to this")]);
  await agent.context().close();
});

test("shows the whole chat at 200% zoom, and animates nothing with reduced motion", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 640, height: 360 });
  await startChat(page, "Zoe");
  const input = page.getByPlaceholder("Type your message...");
  for (const part of [input, page.getByRole("button", { name: "Close chat" }), page.getByRole("log")]) {
    await expect(part).toBeInViewport({ ratio: 1 });
  }
  const height = await page.getByRole("log").evaluate((element) => element.clientHeight);
  expect(height).toBeGreaterThan(80);
  const moving = await page.evaluate(
    () => document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().duration) > 1).length,
  );
  expect(moving).toBe(0);
});

test("names each message's sender to a screen reader, and on a phone keeps the focus in the chat and its field uncovered", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await startChat(page, "Noor");
  const field = page.getByPlaceholder("Type your message...");
  const toast = page.locator("[data-sonner-toast]");
  await expect(toast).toContainText("Chat session started successfully!");
  await expect
    .poll(async () => {
      const [above, box, below] = await Promise.all(
        [page.getByRole("log"), toast, field].map((it) => it.boundingBox()),
      );
      return above && box && below && above.y + above.height <= box.y && box.y + box.height < below.y;
    })
    .toBe(true);
  await say(page, "a question");
  await expect(page.getByRole("log")).toMatchAriaSnapshot(`
    - log "Messages":
      - text: Today Support Bot
      - paragraph: /Hi Noor!/
      - time
      - text: You
      - paragraph: a question
      - time
      - text: /Sent/
  `);
  await expect(page.getByRole("button", { name: "File to send" })).toHaveCount(0);
  const chat = page.getByRole("dialog", { name: "Support Chat" });
  for (const key of ["Tab", "Shift+Tab"]) {
    const seen = new Set<string>();
    for (let press = 0; press < 12; press++) {
      await page.keyboard.press(key);
      expect(await chat.evaluate((element) => element.contains(document.activeElement))).toBe(true);
      seen.add(await page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? ""));
    }
    for (const stop of ["Messages", "Your message", "Attach images or PDFs", "Minimize chat", "Close chat"]) {
      expect([...seen], key).toContain(stop);
    }
  }
});

async function check(page: Page): Promise<void> {
  // A toast that fades has no contrast for a moment.
  await expect(page.locator("[data-sonner-toast]")).toHaveCount(0);
  await auditPage(page, page.url());
}
