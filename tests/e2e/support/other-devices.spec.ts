import { DAY_MS } from "#app/time.ts";
import { expect, logIn, signUp, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { bubbles, newPage, openChat, openConsole, row, say, startChat, untilLooked } from "./chat-steps.ts";

test("shows the badge of a new reply on a second device, and after logging out and in again", {
  tag: "@nightly",
}, async ({ browser, copy, page }) => {
  const name = `Dee ${Date.now()}`;
  const email = await signUpByRequest(page, name);
  await startChat(page, name);
  await say(page, "Hello");
  await expect(page.getByText("· Sent")).toBeVisible();
  await page.close();

  const phone = await newPage(browser, copy);
  await logIn(phone, email);
  await expect(phone.getByRole("button", { name: "Open support chat", exact: true })).toBeVisible();
  const agent = await openConsole(browser, copy, "agent");
  await row(agent, name).click();
  await say(agent, "A reply");
  const badge = phone.getByRole("button", { name: "Open support chat, 1 new" });
  await expect(badge).toBeVisible();

  await phone.getByRole("button", { name: "Log out" }).click();
  await expect(phone.getByRole("link", { name: "Log in" })).toBeVisible();
  await logIn(phone, email);
  await badge.click();
  await expect(bubbles(phone).last()).toHaveText("A reply");
  for (const one of [phone, agent]) await one.context().close();
});

test("asks once per tab and log-in whether the account has a conversation", { tag: "@nightly" }, async ({ page }) => {
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/support/session")) asked += 1;
  });
  await signUp(page, "Olga Once");
  await untilLooked(page);
  for (const path of ["/dashboard", "/"]) {
    const loaded = page.waitForResponse("**/assets/find-conversation-*.js");
    await page.goto(path);
    await (await loaded).finished();
    // It asks once the browser is idle.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
  }
  expect(asked).toBe(1);
});

test("shows times by the server's clock where the browser's is a day off", { tag: "@nightly" }, async ({
  browser,
  copy,
}) => {
  for (const off of [-DAY_MS, DAY_MS]) {
    const page = await newPage(browser, copy);
    await page.addInitScript((ms) => {
      const Real = Date;
      const now = () => Real.now() + ms;
      window.Date = new Proxy(Real, {
        construct: (_, given) => (given.length === 0 ? new Real(now()) : Reflect.construct(Real, given)),
        get: (_, name) => (name === "now" ? now : Reflect.get(Real, name)),
      });
    }, off);
    await startChat(page, "Cleo");
    await expect(page.getByRole("log").locator("time")).toHaveText("just now");
    await page.getByRole("link", { name: "Sign up" }).first().dispatchEvent("click");
    await page.waitForURL("/auth/signup");
    await page.goBack();
    await openChat(page);
    await expect(page.getByRole("log").locator("time")).toHaveText("just now");
    await page.context().close();
  }
});
