import type { Page } from "@playwright/test";
import { auditPage } from "#tests/e2e/axe-audit.ts";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { attach, bubbles, CAT, openChat, openConsole, row, say } from "./chat-steps.ts";

test("finds no axe violations in the chat and the console, and announces a new message once and no earlier one", {
  tag: "@nightly",
}, async ({ browser, page, copy }) => {
  test.setTimeout(120_000);
  const agent = await openConsole(browser, copy, "agent");
  await page.goto("/");
  await openChat(page);
  await expect(page.getByLabel("Your name")).toBeVisible();
  await check(page);
  const name = `Axel ${Date.now()}`;
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Start Chat" }).click();
  await say(page, "A question");
  await expect(page.getByText("· Sent")).toBeVisible();
  await row(agent, name).click();
  await expect(page.getByText("· Seen")).toBeVisible();
  await test.step("announces a new message once and no earlier one", async () => {
    const log = page.getByRole("log", { name: "Messages" });
    // The defaults of a log: polite, additions only.
    await expect(log).toHaveAttribute("role", "log");
    for (const off of ["aria-live", "aria-relevant", "aria-busy"]) await expect(log).not.toHaveAttribute(off);
    await expect(bubbles(page)).toHaveCount(2);
    await log.evaluate((element) => {
      const added: string[] = [];
      Object.assign(window, { added });
      new MutationObserver((records) => {
        for (const { addedNodes } of records) for (const node of addedNodes) added.push(node.textContent ?? "");
      }).observe(element, { childList: true });
    });
    await say(agent, "A reply");
    await expect(bubbles(page)).toHaveCount(3);
    const added = await page.evaluate(() => (window as unknown as { added: string[] }).added);
    expect(added).toEqual([expect.stringContaining("A reply")]);
  });
  await attach(page, CAT);
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

async function check(page: Page): Promise<void> {
  // A toast that fades has no contrast for a moment.
  await expect(page.locator("[data-sonner-toast]")).toHaveCount(0);
  await auditPage(page, page.url());
}
