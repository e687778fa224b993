import { expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, meet, say } from "./chat-steps.ts";

test("makes links in messages clickable, names the day, and copies a message by keyboard and click", async ({
  browser,
  context,
  page,
  copy,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { agent } = await meet({ browser, copy, page }, "Lena Quist");
  await say(page, "see (https://a.example/x), not javascript:alert(1)");
  await say(page, "second");
  for (const tab of [page, agent]) {
    await expect(bubbles(tab)).toHaveCount(3);
    const links = tab.getByRole("log").locator("p a");
    await expect(links).toHaveText(["https://a.example/x"]);
    await expect(links).toHaveAttribute("href", "https://a.example/x");
    await expect(links).toHaveAttribute("rel", "noopener noreferrer nofollow");
    await expect(links).toHaveAttribute("target", "_blank");
    await expect(tab.locator("[data-day]")).toHaveText(["Today"]);
  }
  await say(agent, "hello");
  await expect(page.locator("[data-initials]").last()).toHaveAttribute("data-initials", "DA");

  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("log").focus();
  // The link, then the last message's button.
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect.poll(copied).toBe("hello");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect.poll(copied).toBe("second");
  await bubbles(page).nth(1).hover();
  await page.getByRole("button", { name: "Copy message" }).nth(1).click();
  await expect.poll(copied).toBe("see (https://a.example/x), not javascript:alert(1)");
  await agent.context().close();
});
