import type { Page } from "@playwright/test";
import { OPENING_MESSAGES } from "#app/support/protocol/history-query.ts";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, meet, say } from "./chat-steps.ts";

test("stays at the end when many replies arrive at once", { tag: "@nightly" }, async ({ browser, page, copy }) => {
  const { agent } = await meet({ browser, copy, page }, "Rush");
  await agent.waitForURL(/\/admin\/support\/anon_/);
  await replyQuickly(agent, 30);
  await expect(bubbles(page)).toHaveCount(31);
  await expect(bubbles(page).last()).toBeInViewport();
  await expect(page.getByRole("button", { name: "New messages" })).toHaveCount(0);
  await agent.context().close();
});

test("follows new messages at the end, keeps the place of a scrolled-up reader, and of one who loads the first messages", {
  tag: "@nightly",
}, async ({ browser, page, copy }) => {
  // From here on the test controls the page's clock, which runs until it is paused.
  await page.clock.install();
  const { agent } = await meet({ browser, copy, page }, "Sana");
  await agent.waitForURL(/\/admin\/support\/anon_/);

  await test.step("keeps the position of a scrolled-up reader and offers new messages, and follows at the end", async () => {
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
  });

  await test.step("scrolls to the end 50 ms after a reply arrives, and not before", async () => {
    const before = await bubbles(page).count();
    // Its status makes a message higher.
    await expect(page.getByText("· Seen")).toBeVisible();
    await expect.poll(() => pxBelowView(page)).toBe(0);
    await page.clock.pauseAt(Date.now() + 60_000);
    expect(await pxBelowView(page)).toBe(0);

    await replyQuickly(agent, 1, "late");
    await expect(bubbles(page)).toHaveCount(before + 1);
    const below = await pxBelowView(page);
    expect(below).toBeGreaterThan(0);
    await page.clock.runFor(49);
    expect(await pxBelowView(page)).toBe(below);
    await page.clock.runFor(1);
    expect(await pxBelowView(page)).toBe(0);
    await page.clock.resume();
  });

  await test.step("offers the answer by email after two minutes while the team is online, until it answers", async () => {
    await say(page, "A hard question");
    await expect(page.getByText("· Sent").or(page.getByText("· Seen"))).toBeVisible();
    const offer = page.getByRole("button", { name: "Get the answer by email" });
    await expect(offer).toHaveCount(0);
    await page.clock.fastForward("02:00");
    await expect(offer).toBeVisible();
    await say(agent, "The answer");
    await expect(bubbles(page).last()).toHaveText("The answer");
    await expect(offer).toHaveCount(0);
  });

  await test.step("keeps the reader's place and focus when the first messages of all are loaded", async () => {
    await page.evaluate(
      async (count) => {
        const path = `/support/sessions/${localStorage.getItem("support_session_id")}/messages`;
        for (let at = 0; at < count; at++) {
          const body = JSON.stringify({ clientId: `many-${at}`, body: `message ${at}` });
          const { status } = await fetch(path, { method: "POST", body });
          if (status !== 429) continue;
          at -= 1;
          await new Promise((resolve) => setTimeout(resolve, 200));
        }
      },
      OPENING_MESSAGES + 1 - (await bubbles(page).count()),
    );
    await page.reload();
    await expect(bubbles(page)).toHaveCount(OPENING_MESSAGES);
    const earlier = page.getByRole("button", { name: "Show earlier messages" });
    await earlier.focus();
    const topOf = async (at: number) => Math.round((await bubbles(page).nth(at).boundingBox())?.y ?? 0);
    const top = await topOf(0);
    await earlier.press("Enter");
    await expect(bubbles(page)).toHaveCount(OPENING_MESSAGES + 1);
    await expect(earlier).toHaveCount(0);
    // Scrolled by whole pixels.
    expect(Math.abs((await topOf(1)) - top)).toBeLessThanOrEqual(1);
    await expect(page.getByRole("log")).toBeFocused();
  });
  await agent.context().close();
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
