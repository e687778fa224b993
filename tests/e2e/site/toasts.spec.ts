import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { tabTo } from "#tests/e2e/site/tab-keys.ts";
import { openChat } from "#tests/e2e/support/chat-steps.ts";

test("shows at most three toasts, 356 px wide, for 4 s each", async ({ page }) => {
  await page.clock.install();
  await page.goto("/");
  await openChat(page);
  const start = page.getByRole("button", { name: "Start Chat" });
  const toasts = page.locator("[data-sonner-toast]");
  const seen = page.locator("[data-sonner-toast][data-visible=true]");
  await start.click();
  await expect(toasts).toHaveText(["Please enter your name"]);
  expect(Math.round((await toasts.first().boundingBox())?.width ?? 0)).toBe(356);
  // From here on the test advances the clock.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.clock.runFor(1000);
  await expect(toasts).toHaveCount(0);
  for (let times = 0; times < 4; times++) await start.click();
  await page.clock.runFor(100);
  await expect(toasts).toHaveCount(4);
  await expect(seen).toHaveCount(3);
  await page.clock.runFor(3700);
  await expect(toasts).toHaveCount(4);
  await page.clock.runFor(800);
  await expect(toasts).toHaveCount(0);

  await page.getByLabel("Your name").fill("Ada");
  await start.click();
  await expect(page.getByPlaceholder("Type your message...")).toBeVisible();
  await page.clock.runFor(100);
  await expect(toasts).toHaveText(["Chat session started successfully!"]);
  await page.clock.runFor(3700);
  await expect(toasts).toHaveCount(1);
  await page.clock.runFor(800);
  await expect(toasts).toHaveCount(0);
});

test("shows a toast with a description for 5 s, leaves it by Tab in both directions, and dismisses it by a swipe", {
  tag: "@nightly",
}, async ({ page }) => {
  await page.clock.install();
  await page.goto("/gmail-sync?gmail=denied");
  const toast = page.locator("[data-sonner-toast]");
  await expect(toast).toContainText("You didn't allow access at Google");
  // A toast under the pointer stays.
  await toast.hover();

  await test.step("Tab", async () => {
    const chat = page.getByRole("button", { name: "Open support chat" });
    await expect(chat).toBeEnabled();
    await chat.focus();
    await tabTo(page, toast);
    await page.keyboard.press("Shift+Tab");
    await expect(toast).not.toBeFocused();
    await tabTo(page, toast);
    await tabTo(page, page.getByRole("banner").getByRole("link", { name: "Sign up" }));
    await expect(toast).toHaveCount(1);
  });
  await test.step("a swipe", async () => {
    await expect(toast).toHaveCSS("opacity", "1");
    const box = await toast.boundingBox();
    if (!box) throw new Error("not visible");
    const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down();
    await page.mouse.move(middle.x, middle.y + 100, { steps: 10 });
    await page.mouse.up();
    // A toast under a resting pointer would stay.
    await expect(toast).toHaveCount(0);
  });
  await test.step("five seconds, on a clock that advances only as far as the page needs to show the toast", async () => {
    await page.mouse.move(0, 0);
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.goto("/gmail-sync?gmail=denied");
    await expect(async () => {
      await page.clock.runFor(10);
      await expect(toast).toContainText("Connection Failed", { timeout: 500 });
    }).toPass();
    await page.clock.runFor(4600);
    await expect(toast).toHaveCount(1);
    await page.clock.runFor(900);
    await expect(toast).toHaveCount(0);
  });
});

test("finds no axe violations in a toast with a description, in both themes", { tag: "@nightly" }, async ({ page }) => {
  for (const theme of ["dark", "light"]) {
    await page.goto("/");
    await page.evaluate((chosen) => localStorage.setItem("theme", chosen), theme);
    await page.goto("/gmail-sync?gmail=denied");
    const toast = page.locator("[data-sonner-toast]");
    await expect(toast).toContainText("You didn't allow access at Google");
    // A toast under the pointer stays.
    await toast.hover();
    await expect(toast).toHaveCSS("opacity", "1");
    const { violations } = await new AxeBuilder({ page }).include("[data-sonner-toast]").setLegacyMode(true).analyze();
    expect(
      violations.map(({ id }) => id),
      theme,
    ).toEqual([]);
    expect((await toast.boundingBox())?.width, theme).toBe(356);
  }
});
