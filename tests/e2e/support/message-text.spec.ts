import type { Page } from "@playwright/test";
import { auditPage } from "#tests/e2e/axe-audit.ts";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, meet, say, startChat } from "./chat-steps.ts";

test("makes links clickable, names the day, copies messages and inserts emoji, by keyboard alone", {
  tag: "@nightly",
}, async ({ browser, context, page, copy }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  const { agent } = await meet({ browser, copy, page }, "Lena Quist");
  expect(loaded.filter((path) => /emoji-(picker|list)/.test(path))).toEqual([]);
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

  await test.step("inserts an emoji at the caret on both sides, and closes on Escape without the chat", async () => {
    for (const side of [page, agent]) {
      const field = side.getByLabel("Your message");
      await field.fill("Well done, Bo");
      await field.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(9, 9));
      await side.getByRole("button", { name: "Emoji", exact: true }).press("Enter");
      const search = side.getByLabel("Search emoji");
      await expect(search).toBeFocused();
      await expect(emoji(side, "grinning face")).toBeVisible();
      await side.keyboard.press("Escape");
      await expect(search).toHaveCount(0);
      await expect(field).toBeFocused();

      await side.getByRole("button", { name: "Emoji", exact: true }).press("Enter");
      await search.fill("qqq");
      await expect(side.getByText("No emoji found.")).toBeVisible();
      await side.keyboard.press("Enter");
      await search.fill("koala");
      await side.keyboard.press("ArrowDown");
      await expect(emoji(side, "koala")).toBeFocused();
      await side.keyboard.press("ArrowUp");
      await expect(search).toBeFocused();
      await search.fill("party pop");
      await side.keyboard.press("Enter");
      await expect(search).toHaveCount(0);
      await expect(field).toBeFocused();
      await expect(field).toHaveValue("Well done🎉, Bo");
      await side.keyboard.type("!");
      await expect(field).toHaveValue("Well done🎉!, Bo");
      await side.keyboard.press("Enter");
      await expect(bubbles(side).last()).toHaveText("Well done🎉!, Bo");
    }
  });
  await agent.context().close();
});

test("moves between emoji by arrow keys, and is accessible and on the screen on a phone too", {
  tag: "@nightly",
}, async ({ page }) => {
  await startChat(page, "Emmy");
  await expect(page.locator("[data-sonner-toast]")).toHaveCount(0);
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 460 },
  ]) {
    await page.setViewportSize(viewport);
    await page.getByRole("button", { name: "Emoji", exact: true }).click();
    const picker = page.getByRole("dialog", { name: "Emoji" });
    await expect(emoji(page, "grinning face")).toBeVisible();
    await expect(picker).toBeInViewport({ ratio: 1 });
    // Few of them: axe looks at each.
    await page.getByLabel("Search emoji").fill("koala");
    await auditPage(page, "emoji picker");
    await page.getByLabel("Search emoji").fill("");
    await page.getByLabel("Search emoji").press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    await expect(emoji(page, "grinning face with big eyes")).toBeFocused();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await expect(emoji(page, "grinning face with big eyes")).toBeFocused();
    await page.keyboard.press("End");
    await expect(emoji(page, "flag: Wales")).toBeFocused();
    await page.getByLabel("Your message").click();
    await expect(picker).toHaveCount(0);
  }
});

function emoji(page: Page, name: string) {
  return page.getByRole("dialog", { name: "Emoji" }).getByRole("button", { name, exact: true });
}
