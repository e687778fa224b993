import type { Page } from "@playwright/test";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, CUT_OFF, controlConnection, meet, say, startChat } from "./chat-steps.ts";

const FIVE = ["one of five", "two of five", "three of five", "four of five", "five of five"];

test("five messages typed while the line is cut and the server is killed arrive once and in order", async ({
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

  await connection.cut();
  for (const text of FIVE.slice(0, 3)) await say(page, text);
  copy.killWorkerd();
  for (const text of FIVE.slice(3)) await say(page, text);
  await say(agent, "Are you still there?");
  // After the time in which they should have been acknowledged.
  await expect(page.getByText("Not sent")).toHaveCount(5, { timeout: 30_000 });
  await expect(page.getByText("Failed to send message").first()).toBeVisible();
  await expect(bubbles(page)).toHaveText([/^Hi Iris/, ...FIVE]);
  await copy.answering();
  await expect(bubbles(agent)).toHaveText([/^Hi Iris/, "Are you still there?"]);

  connection.restore();
  for (const tab of [page, agent]) {
    await expect(bubbles(tab)).toHaveText([/^Hi Iris/, "Are you still there?", ...FIVE]);
    await expect(tab.getByText("Not sent")).toHaveCount(0);
  }
  await agent.context().close();
});

test("who is at the end stays there when many answers come at once", async ({ browser, page, copy }) => {
  const { agent } = await meet({ browser, copy, page }, "Rush");
  await agent.waitForURL(/\/admin\/support\/anon_/);
  await answerQuickly(agent, 30);
  await expect(bubbles(page)).toHaveCount(31);
  await expect(bubbles(page).last()).toBeInViewport();
  await expect(page.getByRole("button", { name: "New messages" })).toHaveCount(0);
  await agent.context().close();
});

test("the list goes to its end 50 ms after an answer has come, and not before", async ({ browser, page, copy }) => {
  // The page's clock is the test's from here on: it goes on by itself until it is stopped.
  await page.clock.install();
  const { agent } = await meet({ browser, copy, page }, "Tick");
  await agent.waitForURL(/\/admin\/support\/anon_/);
  await answerQuickly(agent, 12);
  await expect(bubbles(page)).toHaveCount(13);
  await expect.poll(() => belowSight(page)).toBe(0);
  await page.clock.pauseAt(Date.now() + 60_000);
  expect(await belowSight(page)).toBe(0);

  await answerQuickly(agent, 1, "late");
  await expect(bubbles(page)).toHaveCount(14);
  const below = await belowSight(page);
  expect(below).toBeGreaterThan(0);
  await page.clock.runFor(49);
  expect(await belowSight(page)).toBe(below);
  await page.clock.runFor(1);
  expect(await belowSight(page)).toBe(0);
  await agent.context().close();
});

test("who has scrolled up stays there and is told of new messages; who is at the end follows", async ({
  browser,
  page,
  copy,
}) => {
  const { agent } = await meet({ browser, copy, page }, "Sana");
  for (let at = 1; at <= 12; at++) await say(agent, `answer ${at}`);
  await expect(bubbles(page).last()).toHaveText("answer 12");
  await expect(bubbles(page).last()).toBeInViewport();
  const more = page.getByRole("button", { name: "New messages" });
  await expect(more).toHaveCount(0);

  await page.getByRole("log").evaluate((log) => log.scrollTo({ top: 0 }));
  await expect(bubbles(page).first()).toBeInViewport();
  await say(agent, "answer 13");
  await expect(more).toBeVisible();
  await expect(bubbles(page).first()).toBeInViewport();
  await more.press("Enter");
  await expect(bubbles(page).last()).toBeInViewport();
  await expect(more).toHaveCount(0);
  await say(agent, "answer 14");
  await expect(bubbles(page).last()).toHaveText("answer 14");
  await expect(bubbles(page).last()).toBeInViewport();

  // What the reader says shows, wherever they are.
  await page.getByRole("log").evaluate((log) => log.scrollTo({ top: 0 }));
  await say(page, "my own");
  await expect(bubbles(page).last()).toHaveText("my own");
  await expect(bubbles(page).last()).toBeInViewport();
  await agent.context().close();
});

test("a text that is too long is kept whole, said to be so, and not sent until it is cut", async ({ page }) => {
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

test("a screen reader hears who said what, and on a phone the keys stay in the chat and no toast covers its field", async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await startChat(page, "Noor");
  const field = await page.getByPlaceholder("Type your message...").boundingBox();
  const toast = page.getByText("Chat session started successfully!");
  await expect(toast).toBeVisible();
  await expect
    .poll(async () => {
      const box = await toast.boundingBox();
      return box && field ? box.y + box.height < field.y : false;
    })
    .toBe(true);
  await say(page, "a question");
  await expect(page.getByRole("log")).toMatchAriaSnapshot(`
    - log "Messages":
      - text: Support Bot
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
    for (const stop of ["Messages", "Your message", "Attach an image or a PDF", "Minimize chat", "Close chat"]) {
      expect([...seen], key).toContain(stop);
    }
  }
});

/** From the conversation that the agent has open, without the composer. */
function answerQuickly(agent: Page, count: number, called = "rush"): Promise<void> {
  return agent.evaluate(
    async ([many, prefix]) => {
      const path = `/support/sessions/${location.pathname.split("/").at(-1)}/messages`;
      for (let at = 1; at <= many; at++) {
        const body = JSON.stringify({ clientId: `${prefix}-${at}`, body: `quick answer ${at}\n`.repeat(4).trim() });
        const { status } = await fetch(path, { method: "POST", body });
        if (status !== 200) throw new Error(`answer ${at}: ${status}`);
      }
    },
    [count, called] as const,
  );
}

/** How much of the list is below what is seen, in whole px. */
function belowSight(page: Page): Promise<number> {
  return page.getByRole("log").evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight));
}
