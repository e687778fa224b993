import { readFile } from "node:fs/promises";
import {
  allowConsole,
  expect,
  logIn,
  PASSWORD,
  signUpByRequest,
  submitLogIn,
  test,
  untilHydrated,
} from "#tests/e2e/fixtures.ts";

test("logs out other devices, and refuses to end another user's session", async ({ page, browser, copy }) => {
  const email = await signUpByRequest(page);
  const phone = await browser.newContext({ baseURL: copy.url, userAgent: IPHONE });
  const logInThere = async () => {
    await phone.request.post("/auth/login", { form: { email, password: PASSWORD }, headers: { Origin: copy.url } });
    expect((await phone.request.get("/dashboard")).url()).toBe(`${copy.url}/dashboard`);
  };
  await logInThere();
  await page.goto("/dashboard/account");
  const devices = page.getByRole("region", { name: "Logged-in devices" }).getByRole("listitem");
  await expect(devices).toHaveCount(2);
  await expect(devices.filter({ hasText: "Chrome on Linux" })).toContainText("This device");

  const stranger = await browser.newContext({ baseURL: copy.url });
  const theirs = `${crypto.randomUUID()}@test.example`;
  await stranger.request.post("/auth/signup", { form: { fullName: "Eve", email: theirs, password: PASSWORD } });
  const id = await page.locator('input[name="id"]').inputValue();
  const stolen = await stranger.request.post("/dashboard/account", { form: { intent: "end-session", id } });
  expect(stolen.status()).toBe(404);
  expect((await phone.request.get("/dashboard")).url()).toBe(`${copy.url}/dashboard`);

  await page.getByRole("button", { name: "Log out Safari on iPhone" }).click();
  await expect(page.getByText("Device logged out.")).toBeVisible();
  await expect(devices).toHaveCount(1);
  expect((await phone.request.get("/dashboard")).url()).toContain("/auth/login");

  await logInThere();
  await page.reload();
  await page.getByRole("button", { name: "Log out all other devices" }).click();
  await expect(devices).toHaveCount(1);
  expect((await phone.request.get("/dashboard")).url()).toContain("/auth/login");
  await phone.close();
  await stranger.close();
});

test("pages through the activity, and shows a remote log-out to a device in use", { tag: "@nightly" }, async ({
  page,
  browser,
  copy,
}) => {
  const email = await signUpByRequest(page);
  // As many events of one kind as an account gets per hour. With those of the sign-up and of the log-in, a page and more.
  for (let i = 0; i < 20; i++) await page.request.get("/dashboard/account/export");
  const phone = await (await browser.newContext({ baseURL: copy.url, userAgent: IPHONE })).newPage();
  // The device may be requesting tokens at the moment it is logged out remotely.
  allowConsole(phone, /status of 40[03]/);
  await logIn(phone, email);
  await phone.waitForURL("/dashboard");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/dashboard/account");
  // Before that, the links of the list load the page anew, from its top.
  await untilHydrated(page);
  const activity = page.getByRole("region", { name: "Security activity" });
  const rows = activity.getByRole("listitem");
  await expect(rows).toHaveCount(20);
  await activity.getByRole("link", { name: "Next page" }).click();
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toHaveText(/^Created the account from Chrome on Linux/);
  await expect(activity).toBeInViewport();
  await activity.getByRole("link", { name: "First page" }).click();
  await expect(rows).toHaveCount(20);

  await page.getByRole("button", { name: "Log out Safari on iPhone" }).click();
  await expect(page.getByText("Device logged out.")).toBeVisible();
  await phone.goto("/dashboard");
  await expect(phone).toHaveURL(/\/auth\/login/);
  await submitLogIn(phone, email);
  await phone.waitForURL("/dashboard");
  await phone.context().close();
});

test("changes the name and the password, shows errors beside their fields, and downloads the data", async ({
  page,
  copy,
}) => {
  allowConsole(page, /status of 400/);
  const email = await signUpByRequest(page);
  await page.goto("/dashboard/account");
  await page.getByLabel("Name").fill("Grace Test");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Name saved.")).toBeVisible();
  await expect(page.getByRole("link", { name: "Grace Test" })).toBeVisible();

  await test.step("data", async () => {
    const downloading = page.waitForEvent("download");
    await page.getByRole("link", { name: "Download your data" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe("growline-data.json");
    const held = JSON.parse(await readFile(await download.path(), "utf8")) as Record<string, unknown>;
    expect(held.account).toMatchObject({ email, fullName: "Grace Test" });
    for (const part of ["sessions", "orders", "ledger", "apiKeys", "support", "gmail", "uploads"]) {
      expect(held, part).toHaveProperty(part);
    }
  });

  const next = "another good password";
  await page.getByLabel("Current password").fill("wrong");
  await page.getByLabel("New password", { exact: true }).fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByLabel("Current password")).toHaveAccessibleDescription("Incorrect password.");
  await expect(page.getByLabel("Current password")).toBeFocused();
  await page.getByLabel("Current password").fill(PASSWORD);
  await page.getByLabel("New password", { exact: true }).fill(next);
  await page.getByRole("button", { name: "Change password" }).click();
  await expect(page.getByText("Password changed. Your other devices were logged out.")).toBeVisible();
  const logIn = { form: { email, password: next }, headers: { Origin: copy.url }, maxRedirects: 0 };
  expect((await page.request.post("/auth/login", logIn)).headers().location).toBe("/dashboard");
});

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1";
