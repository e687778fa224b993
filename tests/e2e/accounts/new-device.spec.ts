import type { Browser, Page } from "@playwright/test";
import { allowConsole, expect, logIn, PASSWORD, signUpByRequest, submitLogIn, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail } from "#tests/e2e/received-emails.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

const NEXT = "another good password";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";

test("takes the account back from a log-in on a new device, once by the emailed link", async ({
  page,
  browser,
  copy,
}) => {
  const email = await signUpByRequest(page);
  const thief = await otherDevice(browser, copy);
  // The device may be requesting tokens when its session ends.
  allowConsole(thief, /status of 40[03]/);
  allowConsole(page, /status of 40[03]/);
  await logIn(thief, email);
  await thief.waitForURL("/dashboard");

  const link = await linkInEmail(copy, email, /^New log-in/);
  await page.goto("/debug/mail");
  const alert = page.getByRole("article", { name: /^New log-in/ }).filter({ hasText: email });
  await expect(alert).toContainText("Device: Safari on iPhone");
  await alert.getByRole("link", { name: /\/account\/not-me\?token=/ }).click();
  await page.getByRole("button", { name: "Log out every device" }).click();
  await expect(page.getByRole("heading", { name: "Your account is locked down" })).toBeVisible();

  const again = await (await page.request.get(link)).text();
  expect(again).toContain("This link was used or has expired");
  expect(again).not.toContain("Log out every device");

  expect((await page.request.get("/dashboard")).url()).toContain("/auth/login");
  await thief.goto("/dashboard");
  await expect(thief).toHaveURL(/\/auth\/login/);
  await submitLogIn(thief, email, PASSWORD);
  await expect(thief.getByRole("alert")).toBeVisible();
  await expect(thief).toHaveURL(/\/auth\/login/);

  await page.goto(await linkInEmail(copy, email, /Reset your/));
  await page.getByLabel("New password", { exact: true }).fill(NEXT);
  await page.getByRole("button", { name: "Set password" }).click();
  await expect(page.getByText("Password changed. Log in with your new password.")).toBeVisible();
  await submitLogIn(page, email, NEXT);
  await page.waitForURL("/dashboard");

  await page.getByRole("banner").getByRole("link", { name: "Ada Test" }).click();
  await expect(activity(page).getByRole("listitem")).toContainText([
    "Logged in from Chrome on Linux",
    "Reset the password with an emailed link from Chrome on Linux",
    "Log-in failed from Safari on iPhone",
    "Rejected a log-in: logged out every device and turned off the password",
    "Logged in from Safari on iPhone, a new device",
    "Created the account from Chrome on Linux",
  ]);
  await thief.context().close();
});

function activity(page: Page) {
  return page.getByRole("region", { name: "Security activity" });
}

async function otherDevice(browser: Browser, copy: LocalCopy): Promise<Page> {
  const context = await browser.newContext({ baseURL: copy.url, userAgent: IPHONE });
  return context.newPage();
}
