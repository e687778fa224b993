import type { CDPSession, Locator, Page } from "@playwright/test";
import { expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";

const TITLES = ["Know the price first", "All you need is a link", "Track every order", "Talk to real people"];

function flags(page: Page): Promise<(string | null)[]> {
  return page.evaluate(() =>
    ["growline.onboarding.web.v1", "growline.onboarding.app.v1"].map((key) => localStorage.getItem(key)),
  );
}

/** Swipes, and waits until the strip rests: it would go on to its screen over what is done meanwhile. */
async function swipe(page: Page, touch: CDPSession, from: number, to: number): Promise<void> {
  const rests = await page.evaluateHandle(() => ({
    promise: new Promise((resolve) => document.addEventListener("scrollend", resolve, { capture: true, once: true })),
  }));
  const point = (x: number) => ({ touchPoints: [{ x, y: 300 }] });
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", ...point(from) });
  for (let step = 1; step <= 10; step++) {
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", ...point(from + ((to - from) * step) / 10) });
  }
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await rests.evaluate(async ({ promise }) => void (await promise));
}

async function expectScreen(page: Page, number: number): Promise<void> {
  await expect(page.getByRole("img", { name: `Screen ${number} of 4` })).toBeVisible();
  await expect(page.getByRole("heading", { level: 2, name: TITLES[number - 1] })).toBeInViewport();
}

test("turns the introduction by swipes, arrow keys, Home and End, remembers its end for the web, and shows no chat", async ({
  browser,
  copy,
}) => {
  const context = await browser.newContext({
    baseURL: copy.url,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const page = await context.newPage();
  await page.goto("/onboarding");
  await expectScreen(page, 1);
  await untilHydrated(page);
  await expect(page.getByRole("button", { name: "Open support chat" })).toHaveCount(0);
  const touch = await context.newCDPSession(page);
  await swipe(page, touch, 340, 60);
  await expectScreen(page, 2);
  await swipe(page, touch, 60, 340);
  await expectScreen(page, 1);

  await page.keyboard.press("End");
  await expectScreen(page, 4);
  await page.keyboard.press("Home");
  await expectScreen(page, 1);
  await page.keyboard.press("ArrowRight");
  await expectScreen(page, 2);
  await page.keyboard.press("ArrowLeft");
  await expectScreen(page, 1);
  await page.keyboard.press("End");
  await expectScreen(page, 4);
  await page.keyboard.press("Home");
  await expectScreen(page, 1);
  await page.keyboard.press("End");
  await expect(page.getByRole("link", { name: "Skip" })).toBeHidden();
  expect(await flags(page)).toEqual([null, null]);
  await page.getByRole("link", { name: "Get started" }).press("Enter");
  await page.waitForURL("/");
  const [web, app] = await flags(page);
  expect(web).not.toBeNull();
  expect(app).toBeNull();
  await context.close();
});

test("counts skipping as done", { tag: "@nightly" }, async ({ page }) => {
  await page.goto("/onboarding");
  await page.getByRole("link", { name: "Skip" }).click();
  await page.waitForURL("/");
  expect((await flags(page))[0]).not.toBeNull();
});

test("shows the same screens on the demo pages without setting a flag, and visitors the chat beside their buttons on a phone", {
  tag: "@nightly",
}, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/onboarding-demo");
  await expectChatApart(page);
  for (const number of [1, 2, 3]) {
    await expectScreen(page, number);
    await page.getByRole("button", { name: "Next" }).click();
  }
  await expectScreen(page, 4);
  await page.getByRole("link", { name: "Get started" }).click();
  await page.waitForURL("/");
  await page.goto("/welcome-demo");
  await expect(page.getByRole("heading", { level: 1, name: "Welcome to Growline" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Log in" }).click();
  await page.waitForURL("/auth/login");
  expect(await flags(page)).toEqual([null, null]);
});

for (const width of [700, 1280]) {
  test(`shows visitors the chat beside the demo's buttons at ${width} px`, { tag: "@nightly" }, async ({ page }) => {
    await page.setViewportSize({ width, height: 844 });
    await page.goto("/onboarding-demo");
    const chat = await expectChatApart(page);
    await chat.click();
    await expect(page.getByRole("dialog", { name: "Support Chat" })).toBeVisible();
  });
}

/** Expects the chat's button apart from the one for the next screen, and returns it. */
async function expectChatApart(page: Page): Promise<Locator> {
  const chat = page.getByRole("button", { name: "Open support chat" });
  await expect(chat).toBeEnabled();
  const boxes = await Promise.all(
    [page.getByRole("button", { name: "Next" }), chat].map((button) => button.boundingBox()),
  );
  const [next, round] = boxes;
  if (!next || !round) throw new Error("not shown");
  const isApart = next.x + next.width <= round.x || next.y + next.height <= round.y;
  expect(isApart, JSON.stringify(boxes)).toBe(true);
  return chat;
}
