import { auditPage } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, PASSWORD, signUpByRequest, submitLogIn, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail, signUpConfirmed } from "#tests/e2e/received-emails.ts";

test("asks to confirm the email address before live keys and two-step login, and allows them once a browser without JavaScript has confirmed it", {
  tag: "@nightly",
}, async ({ browser, page, copy }) => {
  allowConsole(page, /403 \(Forbidden\)/);
  const email = await signUpByRequest(page);
  await page.goto("/account/two-step");
  await expect(page.getByText("Confirm your email address first.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Add passkey" })).toHaveCount(0);
  await auditPage(page, "the two-step page of an unconfirmed account");
  const openKeys = async () => {
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "API" }).click();
    await page.waitForURL("/dashboard/api");
  };
  await openKeys();
  const notice = page.getByText("Confirm your email address: open the link");
  await expect(notice).toContainText(email);
  await page.getByLabel("Key name").fill("Shop");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByText("Confirm your email address first.")).toBeVisible();
  await page.getByRole("button", { name: "Send a new link" }).click();
  await expect(page.getByText(`We sent a new link to ${email}`)).toBeVisible();

  // The browser isn't logged in.
  const context = await browser.newContext({ baseURL: copy.url, javaScriptEnabled: false });
  const other = await context.newPage();
  await other.goto(await linkInEmail(copy, email, /^Confirm your email address/));
  await other.getByRole("button", { name: "Confirm email address" }).click();
  await expect(other.getByText(`${email} is confirmed.`)).toBeVisible();
  await context.close();

  await openKeys();
  await page.getByLabel("Key name").fill("Shop");
  await page.getByRole("button", { name: "Create key" }).click();
  await expect(page.getByText(/^gl_live_[0-9a-f]{54}$/).first()).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test("changes the email address once the emailed link is confirmed, and undoes it from the old mailbox, which logs the other browser out", {
  tag: "@nightly",
}, async ({ page, copy, browser }) => {
  const email = await signUpConfirmed(page, copy);
  const stolen = `${crypto.randomUUID()}@test.example`;
  await page.goto("/dashboard/account");
  await page.getByLabel("New email address").fill(stolen);
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Send confirmation link" }).click();
  await expect(page.getByText(`We sent a link to ${stolen}`)).toBeVisible();
  await expect(page.getByText(`Until you confirm it, keep logging in with ${email}.`)).toBeVisible();
  await page.goto(await linkInEmail(copy, stolen, /^Confirm your new email address/));
  await page.getByRole("button", { name: "Confirm email address" }).click();
  await expect(page.getByText(`Your email address is now ${stolen}.`)).toBeVisible();
  await page.getByRole("link", { name: "Go to your profile" }).click();
  await expect(page.getByText(`You log in with ${stolen}`)).toBeVisible();

  const context = await browser.newContext({ baseURL: copy.url });
  const owner = await context.newPage();
  await owner.goto(await linkInEmail(copy, email, /was changed$/));
  await expect(owner.getByText(`Your account goes back to ${email}.`)).toBeVisible();
  await owner.getByRole("button", { name: "Undo the change" }).click();
  await owner.waitForURL(/\/reset-password\?token=/);
  await owner.getByLabel("New password", { exact: true }).fill("a brand new password");
  await owner
    .getByRole("button", { name: /password/i })
    .last()
    .click();
  await owner.waitForURL("/auth/login");
  await submitLogIn(owner, email, "a brand new password");
  await owner.waitForURL("/dashboard");
  await context.close();

  expect((await page.request.get("/dashboard")).url()).toContain("/auth/login");
});
