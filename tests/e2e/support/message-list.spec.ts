import type { Page } from "@playwright/test";
import { OPENING_MESSAGES } from "#app/support/protocol/history-query.ts";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, CUT_OFF, controlConnection, meet, say, startChat } from "./chat-steps.ts";

const FIVE = ["one of five", "two of five", "three of five", "four of five", "five of five"];

test("delivers five messages once and in order after a cut connection and a killed server", async ({
  browser,
  context,
  page,
  copy,
}) => {
  test.setTimeout(120_000);
  allowConsole(page, CUT_OFF);
  const connection = await controlConnection(context);
  const { agent } = await meet({ browser, copy, page }, "Iris");
  allowConsole(agent, CUT_OFF);
  await expect(bubbles(agent)).toHaveCount(1);
  // Remix reloads a page whose next route can't be loaded.
  await agent.waitForURL(/\/admin\/support\/anon_/);

  await connection.cut();
  for (const text of FIVE.slice(0, 3)) await say(page, text);
  copy.killWorkerd();
  for (const text of FIVE.slice(3)) await say(page, text);
  await say(agent, "Are you still there?");
  // Past the time limit for acknowledgments.
  await expect(page.getByText("Not sent")).toHaveCount(5, { timeout: 30_000 });
  await expect(page.getByText("Failed to send message").first()).toBeVisible();
  await expect(bubbles(page)).toHaveText([/^Hi Iris/, ...FIVE]);
  await copy.untilReady();
  await expect(bubbles(agent)).toHaveText([/^Hi Iris/, "Are you still there?"]);

  connection.restore();
  for (const tab of [page, agent]) {
    await expect(bubbles(tab)).toHaveText([/^Hi Iris/, "Are you still there?", ...FIVE]);
    await expect(tab.getByText("Not sent")).toHaveCount(0);
  }
  await agent.context().close();
});

test("stays at the end when many replies arrive at once", { tag: "@nightly" }, async ({ browser, page, copy }) => {
  const { agent } = await meet({ browser, copy, page }, "Rush");
  await agent.waitForURL(/\/admin\/support\/anon_/);
  await replyQuickly(agent, 30);
  await expect(bubbles(page)).toHaveCount(31);
  await expect(bubbles(page).last()).toBeInViewport();
  await expect(page.getByRole("button", { name: "New messages" })).toHaveCount(0);
  await agent.context().close();
});

test("scrolls to the end 50 ms after a reply arrives, and not before", async ({ browser, page, copy }) => {
  // From here on the test controls the page's clock, which runs until it is paused.
  await page.clock.install();
  const { agent } = await meet({ browser, copy, page }, "Tick");
  await agent.waitForURL(/\/admin\/support\/anon_/);
  await replyQuickly(agent, 12);
  await expect(bubbles(page)).toHaveCount(13);
  await expect.poll(() => pxBelowView(page)).toBe(0);
  await page.clock.pauseAt(Date.now() + 60_000);
  expect(await pxBelowView(page)).toBe(0);

  await replyQuickly(agent, 1, "late");
  await expect(bubbles(page)).toHaveCount(14);
  const below = await pxBelowView(page);
  expect(below).toBeGreaterThan(0);
  await page.clock.runFor(49);
  expect(await pxBelowView(page)).toBe(below);
  await page.clock.runFor(1);
  expect(await pxBelowView(page)).toBe(0);
  await agent.context().close();
});

test("keeps the position of a scrolled-up reader and offers new messages, and follows at the end", async ({
  browser,
  page,
  copy,
}) => {
  const { agent } = await meet({ browser, copy, page }, "Sana");
  for (let at = 1; at <= 12; at++) await say(agent, `reply ${at}`);
  await expect(bubbles(page).last()).toHaveText("reply 12");
  await expect(bubbles(page).last()).toBeInViewport();
  const more = page.getByRole("button", { name: "New messages" });
  await expect(more).toHaveCount(0);

  await page.getByRole("log").evaluate((log) => log.scrollTo({ top: 0 }));
  await expect(bubbles(page).first()).toBeInViewport();
  await say(agent, "reply 13");
  await expect(more).toBeVisible();
  await expect(bubbles(page).first()).toBeInViewport();
  await more.press("Enter");
  await expect(bubbles(page).last()).toBeInViewport();
  await expect(more).toHaveCount(0);
  await say(agent, "reply 14");
  await expect(bubbles(page).last()).toHaveText("reply 14");
  await expect(bubbles(page).last()).toBeInViewport();

  // The reader's own message is shown from any position.
  await page.getByRole("log").evaluate((log) => log.scrollTo({ top: 0 }));
  await say(page, "my own");
  await expect(bubbles(page).last()).toHaveText("my own");
  await expect(bubbles(page).last()).toBeInViewport();
  await agent.context().close();
});

test("keeps the reader's place and focus when the first messages of all are loaded", async ({ page }) => {
  await startChat(page, "Erla");
  await page.evaluate(async (count) => {
    const path = `/support/sessions/${localStorage.getItem("support_session_id")}/messages`;
    for (let at = 0; at < count; at++) {
      const body = JSON.stringify({ clientId: `many-${at}`, body: `message ${at}` });
      const { status } = await fetch(path, { method: "POST", body });
      if (status !== 429) continue;
      at -= 1;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }, OPENING_MESSAGES);
  await page.reload();
  await expect(bubbles(page)).toHaveCount(OPENING_MESSAGES);
  const earlier = page.getByRole("button", { name: "Show earlier messages" });
  await earlier.focus();
  const topOf = async (at: number) => Math.round((await bubbles(page).nth(at).boundingBox())?.y ?? 0);
  const before = await topOf(0);
  await earlier.press("Enter");
  await expect(bubbles(page)).toHaveCount(OPENING_MESSAGES + 1);
  await expect(earlier).toHaveCount(0);
  // Scrolled by whole pixels.
  expect(Math.abs((await topOf(1)) - before)).toBeLessThanOrEqual(1);
  await expect(page.getByRole("log")).toBeFocused();
});

test("keeps a text that is too long, shows by how much, and sends it only once shortened", async ({ page }) => {
  await startChat(page, "Lena");
  const input = page.getByPlaceholder("Type your message...");
  await input.fill("y".repeat(4213));
  await expect(page.getByText("213 over the limit of 4,000 characters.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Send message" })).toBeDisabled();
  await input.press("Enter");
  await expect(input).toHaveValue("y".repeat(4213));
  await expect(bubbles(page)).toHaveCount(1);
  await input.fill("y".repeat(4000));
  await expect(page.getByText("Too long")).toHaveCount(0);
  await input.press("Enter");
  await expect(bubbles(page).last()).toHaveText("y".repeat(4000));
  await expect(page.getByText("· Sent")).toBeVisible();
});

/** Sends replies over HTTP in the conversation that the agent has open. */
function replyQuickly(agent: Page, count: number, called = "rush"): Promise<void> {
  return agent.evaluate(
    async ([many, prefix]) => {
      const path = `/support/sessions/${location.pathname.split("/").at(-1)}/messages`;
      for (let at = 1; at <= many; at++) {
        const body = JSON.stringify({ clientId: `${prefix}-${at}`, body: `quick reply ${at}\n`.repeat(4).trim() });
        const { status } = await fetch(path, { method: "POST", body });
        if (status !== 200) throw new Error(`reply ${at}: ${status}`);
      }
    },
    [count, called] as const,
  );
}

/** Returns how far the list extends below its visible part, in whole px. */
function pxBelowView(page: Page): Promise<number> {
  return page.getByRole("log").evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight));
}
