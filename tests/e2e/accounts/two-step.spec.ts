import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { auditPage } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, logIn, submitLogIn, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import { linkInEmail, signUpConfirmed } from "#tests/e2e/received-emails.ts";
import { addAuthenticator, STEP_MS, setUpApp } from "./second-factors.ts";

/** Its states are audited at night, which also logs in a second time by the passkey alone. */
const IS_NIGHT = process.env.TEST_TIER !== "core";

test("registers a passkey, logs in with it in another browser, alone and as the second step, and removes it", async ({
  page,
  browser,
  copy,
}) => {
  const email = await signUpConfirmed(page, copy);
  const { cdp, authenticatorId } = await addAuthenticator(page);
  await page.goto("/account/two-step");
  await untilHydrated(page);
  await page.getByLabel("Name of the new passkey").fill("My laptop");
  await page.getByLabel("Name of the new passkey").press("Enter");
  await expect(page.getByText("Passkey added.")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "My laptop" })).toContainText("Second step");
  const codes = page.locator("ol.font-mono li");
  await expect(codes).toHaveCount(10);
  if (IS_NIGHT) await auditPage(page, "the two-step page with recovery codes");

  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
  const other = await browser.newContext({ baseURL: copy.url, viewport: { width: 390, height: 800 } });
  const phone = await other.newPage();
  allowConsole(phone, /status of 40[03]/);
  const its = await addAuthenticator(phone);
  for (const credential of credentials) {
    await its.cdp.send("WebAuthn.addCredential", { authenticatorId: its.authenticatorId, credential });
  }
  await test.step("suggested in the email field, where the virtual authenticator picks it", async () => {
    await phone.goto("/auth/login");
    await phone.waitForURL("/dashboard");
  });
  await test.step("as the second step, by keyboard at 390 px", async () => {
    // Keeps the passkey from logging in by itself as a suggestion.
    await its.setPresence(false);
    await phone.getByRole("button", { name: "Log out" }).click();
    await phone.waitForURL("/");
    await phone.getByRole("banner").getByRole("link", { name: "Log in" }).click();
    await submitLogIn(phone, email);
    await phone.waitForURL(/\/auth\/second-step/);
    await its.setPresence(true);
    const button = phone.getByRole("button", { name: "Use a passkey" });
    await expect(button).toBeEnabled();
    await button.focus();
    await phone.keyboard.press("Enter");
    await phone.waitForURL("/dashboard");
  });
  // Presses the same button as the last step, but with a passkey that is known.
  if (IS_NIGHT) {
    await test.step("by the button of the log-in page", async () => {
      await phone.getByRole("button", { name: "Log out" }).click();
      await phone.waitForURL("/");
      await suggestNothing(phone);
      await phone.getByRole("banner").getByRole("link", { name: "Log in" }).click();
      await phone.getByRole("button", { name: "Log in with a passkey" }).click();
      await phone.waitForURL("/dashboard");
    });
  }
  await test.step("removed", async () => {
    await phone.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Account" }).click();
    await phone.getByRole("link", { name: "Manage two-step login" }).click();
    await phone.getByRole("button", { name: "Remove My laptop" }).click();
    await phone.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(phone.getByText("Passkey “My laptop” removed.")).toBeVisible();
    await expect(phone.getByRole("listitem").filter({ hasText: "My laptop" })).toHaveCount(0);
    expect(await linkInEmail(copy, email, /Two-step login/)).toContain("/account/two-step");
    await phone.getByRole("button", { name: "Log out" }).click();
    await phone.waitForURL("/");
    await suggestNothing(phone);
    await phone.getByRole("banner").getByRole("link", { name: "Log in" }).click();
    await phone.getByRole("button", { name: "Log in with a passkey" }).click();
    await expect(phone.getByText("We don't know this passkey.")).toBeVisible();
  });
  await other.close();
});

test("asks for a code of the app after the password, and takes a recovery code once", async ({
  page,
  browser,
  copy,
}) => {
  const email = await signUpConfirmed(page, copy);
  await page.goto("/account/two-step");
  await untilHydrated(page);
  const totp = await setUpApp(page);
  const recovery = await page.locator("ol.font-mono li").allTextContents();
  expect(recovery).toHaveLength(10);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download codes" }).click();
  expect((await download).suggestedFilename()).toBe("growline-recovery-codes.txt");
  await page.reload();
  await expect(page.locator("ol.font-mono")).toHaveCount(0);
  await expect(page.getByText("You have 10 of 10 recovery codes left.")).toBeVisible();

  // One browser for all three log-ins: another would load every script again.
  const other = await browser.newContext({ baseURL: copy.url });
  const second = await other.newPage();
  allowConsole(second, /status of 40[03]/);
  await second.goto("/auth/login");
  await untilHydrated(second);
  const toSecondStep = async () => {
    await submitLogIn(second, email);
    await second.waitForURL(/\/auth\/second-step/);
  };
  const logOut = async () => {
    await second.getByRole("button", { name: "Log out" }).click();
    await second.waitForURL("/");
    await second.getByRole("banner").getByRole("link", { name: "Log in" }).click();
  };
  await toSecondStep();
  if (IS_NIGHT) await auditPage(second, "the second step");
  await second.getByLabel("Code").fill("000000");
  await second.getByRole("button", { name: "Continue" }).click();
  await expect(second.getByLabel("Code")).toHaveAccessibleDescription(/wrong or was used before/);
  // The code that confirmed the app is used up, so this is the one of the next step.
  await second.getByLabel("Code").fill(totp.generate({ timestamp: Date.now() + STEP_MS }));
  await second.getByLabel("Code").press("Enter");
  await second.waitForURL("/dashboard");

  await logOut();
  await toSecondStep();
  await second.getByLabel("Code").fill(recovery[0]?.toLowerCase() ?? "");
  await second.getByLabel("Code").press("Enter");
  await second.waitForURL("/dashboard");

  await logOut();
  await toSecondStep();
  await second.getByLabel("Code").fill(recovery[0] ?? "");
  await second.getByLabel("Code").press("Enter");
  await expect(second.getByLabel("Code")).toHaveAccessibleDescription(/wrong or was used before/);
  expect((await second.request.get("/dashboard")).url()).toContain("/auth/login");
  await other.close();
});

test("holds staff without a second factor at its setup, where one is required", { tag: "@nightly" }, async ({
  page,
  context,
  copy,
}) => {
  test.setTimeout(180_000);
  // Staff of its own: with a second factor, the demo's admin could no longer log in by password alone.
  const email = await signUpConfirmed(page, copy, "Grace Staff");
  try {
    await copy.configure({ STAFF_SECOND_FACTOR: "required" });
    const command = [join("tools", "bootstrap.mjs"), join("tools", "data", "set-role.ts")];
    const printed = execFileSync(process.execPath, [...command, email, "admin", "--state-dir", copy.stateDir], {
      encoding: "utf8",
    });
    const link = /^http.+$/m.exec(printed)?.[0] ?? "";
    await context.clearCookies();
    await logIn(page, email);
    await page.waitForURL("/account/two-step");
    for (const path of ["/admin/orders", "/admin", "/dashboard"]) {
      expect((await page.request.get(path)).url(), path).toBe(`${copy.url}/account/two-step`);
    }
    await expect(page.getByText("Your role requires a second step.")).toBeVisible();
    await expect(page.getByText(`npm run admin -- ${email} admin --remote`)).toBeVisible();
    await expect(page.getByRole("button", { name: "Set up authenticator app" })).toHaveCount(0);
    expect((await context.request.get("/admin/inbox")).status()).toBe(403);
    await auditPage(page, "the setup that staff are held at");
    await forgetSession(page);
    await page.goto(link);
    await page.waitForURL(/\/auth\/login/);
    await submitLogIn(page, email);
    await page.getByRole("button", { name: "Start setup" }).click();
    await page.waitForURL("/account/two-step");
    await setUpApp(page);
    await page.goto(`/admin/customers?q=${copy.demo.agent.email}`);
    await page.getByRole("link", { name: copy.demo.agent.email }).click();
    const access = page.getByRole("region", { name: "Access" });
    await access.getByLabel("Reason").fill("The first one expired");
    await access.getByRole("button", { name: "Send setup link" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send setup link" }).click();
    await expect(page.getByText("Setup link sent.")).toBeVisible();
    allowConsole(page, /status of 400/);
    await page.getByRole("banner").getByRole("link", { name: "Grace Staff" }).click();
    await page.getByRole("link", { name: "Manage two-step login" }).click();
    await page.getByRole("button", { name: "Remove authenticator app" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(page.getByText("Your role requires a second step. Add another")).toBeVisible();
  } finally {
    await copy.configure({});
  }
});

/** Logs the browser out without telling the server. A page with a stored session would restore the cookie from it. */
async function forgetSession(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.clear());
  await page.context().clearCookies();
}

/** Keeps the email field from suggesting a passkey, which would log in by itself. */
async function suggestNothing(page: Page): Promise<void> {
  await page.evaluate(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
}
