import type { Page } from "@playwright/test";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { say, startChat } from "./chat-steps.ts";

const PHONE = { width: 390, height: 800 };
const KEYBOARD_PX = 300;

test.use({ viewport: PHONE });

test("on a phone covers the page as a modal dialog, names each sender, and stays above a keyboard", {
  tag: "@nightly",
}, async ({ page }) => {
  await page.goto("/privacy-policy");
  await startChat(page, "Noor");
  const chat = page.getByRole("dialog", { name: "Support Chat" });
  const launcher = page.getByRole("button", { name: "Open support chat" });

  await test.step("names each message's sender, and keeps the focus in the chat and its field uncovered", async () => {
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

  await test.step("makes what is behind it inert, and only there", async () => {
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
  });

  await test.step("keeps the message field above a keyboard that covers the page", async () => {
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

  await test.step("shows the whole chat at 200% zoom, and animates nothing with reduced motion", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.setViewportSize({ width: 640, height: 360 });
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
    await page.emulateMedia({ reducedMotion: null });
    await page.setViewportSize(PHONE);
  });

  await test.step("closes on Back, and leaves no entry in the history when it is closed otherwise", async () => {
    await page.evaluate(() => history.back());
    await expect(launcher).toBeFocused();
    expect(new URL(page.url()).pathname).toBe("/");

    await launcher.click();
    await page.keyboard.press("Escape");
    await expect(launcher).toBeVisible();
    await launcher.click();
    await page.getByRole("button", { name: "Minimize chat" }).click();
    await test.step("leaves room below the page for the minimized bar", async () => {
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
    await page.setViewportSize(PHONE);
    await page.getByRole("button", { name: "Close chat" }).click();
    await expect.poll(() => page.evaluate(() => history.state?.growlineChat ?? null)).toBe(null);
    await page.goBack();
    await expect(page).toHaveURL("/privacy-policy");
  });
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

/** Covers so much of the page's lower end, as the keyboard of a phone does. */
function setKeyboard(page: Page, px: number): Promise<void> {
  return page.evaluate((covered) => {
    if (!visualViewport) throw new Error("no visual viewport");
    Object.defineProperty(visualViewport, "height", { configurable: true, get: () => innerHeight - covered });
    visualViewport.dispatchEvent(new Event("resize"));
  }, px);
}
