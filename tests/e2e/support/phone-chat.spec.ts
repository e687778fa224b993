import type { Page } from "@playwright/test";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { say, startChat } from "./chat-steps.ts";

const PHONE = { width: 390, height: 800 };
const KEYBOARD_PX = 300;

test.use({ viewport: PHONE });

test("covers the page as a modal dialog, makes what is behind it inert, and only there", async ({ page }) => {
  await startChat(page, "Mo");
  const chat = page.getByRole("dialog", { name: "Support Chat" });
  const signUp = page.locator("header").locator("a[href='/auth/signup']");
  await expect(chat).toHaveAttribute("aria-modal", "true");
  expect(await canFocus(page, "header a[href='/auth/signup']")).toBe(false);
  expect(await canFocus(page, "main a[href], main button:enabled")).toBe(false);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(chat).not.toHaveAttribute("aria-modal");
  await expect(signUp).toBeVisible();
  await expect.poll(() => canFocus(page, "header a[href='/auth/signup']")).toBe(true);
  await page.setViewportSize(PHONE);
  await expect(chat).toHaveAttribute("aria-modal", "true");
  await page.getByRole("button", { name: "Close chat" }).click();
  await expect.poll(() => canFocus(page, "header a[href='/auth/signup']")).toBe(true);
});

test("closes on Back and leaves no entry in the history when it is closed otherwise", async ({ page }) => {
  await page.goto("/privacy-policy");
  await startChat(page, "Hira");
  const launcher = page.getByRole("button", { name: "Open support chat" });
  await page.evaluate(() => history.back());
  await expect(launcher).toBeFocused();
  expect(new URL(page.url()).pathname).toBe("/");

  await launcher.click();
  await page.keyboard.press("Escape");
  await expect(launcher).toBeVisible();
  await launcher.click();
  await page.getByRole("button", { name: "Minimize chat" }).click();
  await page.getByRole("button", { name: "Close chat" }).click();
  await expect.poll(() => page.evaluate(() => history.state?.growlineChat ?? null)).toBe(null);
  await page.goBack();
  await expect(page).toHaveURL("/privacy-policy");
});

test("keeps the message field above a keyboard that covers the page", async ({ page }) => {
  await page.addInitScript(() => {
    const seen = Object.assign(new EventTarget(), { height: innerHeight, offsetTop: 0, scale: 1 });
    Object.defineProperty(window, "visualViewport", { value: seen });
  });
  await startChat(page, "Kay");
  await expect(page.locator("meta[name=viewport]")).toHaveAttribute("content", /interactive-widget=resizes-content/);
  await setKeyboard(page, KEYBOARD_PX);
  const bottom = async () => {
    const box = await page.getByPlaceholder("Type your message...").boundingBox();
    return box && box.y + box.height;
  };
  await expect.poll(bottom).toBeLessThan(PHONE.height - KEYBOARD_PX);
  await say(page, "above the keyboard");
  await expect(page.getByText("above the keyboard")).toBeInViewport();
  await setKeyboard(page, 0);
  await expect.poll(bottom).toBeGreaterThan(PHONE.height - KEYBOARD_PX);
});

test("leaves room below the page for the minimized bar", async ({ page }) => {
  await startChat(page, "Minnie");
  await page.getByRole("button", { name: "Minimize chat" }).click();
  for (const viewport of [PHONE, { width: 1280, height: 800 }]) {
    await page.setViewportSize(viewport);
    const link = page.getByRole("navigation", { name: "Footer" }).getByRole("link").last();
    const bar = page.getByRole("region", { name: "Support Chat" });
    await expect
      .poll(async () => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        const [end, top] = [await link.boundingBox(), await bar.boundingBox()];
        return end && top && end.y + end.height <= top.y;
      })
      .toBe(true);
  }
});

/** Tries to focus the first element that the selector finds. */
function canFocus(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((wanted) => {
    const element = document.querySelector<HTMLElement>(wanted);
    const before = document.activeElement;
    element?.focus();
    const isFocused = element !== null && document.activeElement === element;
    if (isFocused && before instanceof HTMLElement) before.focus();
    return isFocused;
  }, selector);
}

function setKeyboard(page: Page, px: number): Promise<void> {
  return page.evaluate((covered) => {
    if (!visualViewport) throw new Error("no visual viewport");
    Object.assign(visualViewport, { height: innerHeight - covered });
    visualViewport.dispatchEvent(new Event("resize"));
  }, px);
}
