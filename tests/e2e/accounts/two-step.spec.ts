import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { BrowserContext, CDPSession, Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { auditPage } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, logIn, otherPage, PASSWORD, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail, signUpConfirmed } from "#tests/e2e/received-emails.ts";

const AUTHENTICATOR = {
  protocol: "ctap2",
  ctap2Version: "ctap2_1",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

test("registers a passkey, logs in with it in another browser, and removes it", async ({ page, browser, copy }) => {
  const email = await signUpConfirmed(page, copy);
  const { cdp, authenticatorId } = await addAuthenticator(page);
  await page.goto("/account/two-step");
  await page.getByLabel("Name of the new passkey").fill("My laptop");
  await page.getByRole("button", { name: "Add passkey" }).click();
  await expect(page.getByText("Passkey added.")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "My laptop" })).toContainText("Second step");
  const codes = page.locator("ol.font-mono li");
  await expect(codes).toHaveCount(10);
  await auditPage(page, "the two-step page with recovery codes");

  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
  const other = await newContext(browser, copy.url);
  const phone = await other.newPage();
  const its = await addAuthenticator(phone);
  for (const credential of credentials) {
    await its.cdp.send("WebAuthn.addCredential", { authenticatorId: its.authenticatorId, credential });
  }
  // The browser suggests the passkey in the email field, and the virtual authenticator picks it.
  await phone.goto("/auth/login");
  await phone.waitForURL("/dashboard");
  await phone.getByRole("button", { name: "Log out" }).click();
  await phone.waitForURL("/");
  await logInWithPasskey(phone);
  await phone.waitForURL("/dashboard");

  await phone.goto("/account/two-step");
  await phone.getByRole("button", { name: "Remove My laptop" }).click();
  await phone.getByRole("button", { name: "Remove", exact: true }).click();
  await expect(phone.getByText("Passkey “My laptop” removed.")).toBeVisible();
  await expect(phone.getByRole("listitem").filter({ hasText: "My laptop" })).toHaveCount(0);
  expect(await linkInEmail(copy, email, /Two-step login/)).toContain("/account/two-step");

  await forgetSession(phone);
  allowConsole(phone, /status of 400/);
  await logInWithPasskey(phone);
  await expect(phone.getByText("We don't know this passkey.")).toBeVisible();
  await other.close();
});

test("asks an unconfirmed account to confirm its address in place of the forms", async ({ page, copy }) => {
  const email = await signUpByRequest(page);
  await page.goto("/account/two-step");
  await expect(page.getByText("Confirm your email address first.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Add passkey" })).toHaveCount(0);
  await auditPage(page, "the two-step page of an unconfirmed account");
  await page.getByRole("button", { name: "Send a new link" }).click();
  await expect(page.getByText(`We sent a new link to ${email}`)).toBeVisible();
  expect(await linkInEmail(copy, email, /^Confirm your email address/)).toContain("/account/verify-email");
});

test("asks for a code of the app after the password, and takes a recovery code once", async ({
  page,
  browser,
  copy,
}) => {
  const email = await signUpConfirmed(page, copy);
  await page.goto("/dashboard/account");
  await page.getByRole("link", { name: "Manage two-step login" }).click();
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
  const other = await newContext(browser, copy.url);
  const second = await other.newPage();
  allowConsole(second, /status of 400/);
  await logInToSecondStep(second, email);
  await auditPage(second, "the second step");
  await second.getByLabel("Code").fill("000000");
  await second.getByRole("button", { name: "Continue" }).click();
  await expect(second.getByLabel("Code")).toHaveAccessibleDescription(/wrong or was used before/);
  // The code that confirmed the app is used up, so this is the one of the next step.
  await second.getByLabel("Code").fill(totp.generate({ timestamp: Date.now() + 30_000 }));
  await second.getByLabel("Code").press("Enter");
  await second.waitForURL("/dashboard");

  await forgetSession(second);
  await logInToSecondStep(second, email);
  await second.getByLabel("Code").fill(recovery[0]?.toLowerCase() ?? "");
  await second.getByLabel("Code").press("Enter");
  await second.waitForURL("/dashboard");

  await forgetSession(second);
  await logInToSecondStep(second, email);
  await second.getByLabel("Code").fill(recovery[0] ?? "");
  await second.getByLabel("Code").press("Enter");
  await expect(second.getByLabel("Code")).toHaveAccessibleDescription(/wrong or was used before/);
  await second.goto("/dashboard");
  await expect(second).toHaveURL(/\/auth\/login/);
  await other.close();
});

test("takes a passkey as the second step, at 390 px and by keyboard", async ({ page, browser, copy }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  const email = await signUpConfirmed(page, copy);
  const { cdp, authenticatorId } = await addAuthenticator(page);
  await page.goto("/account/two-step");
  await page.getByLabel("Name of the new passkey").fill("Key");
  await page.getByLabel("Name of the new passkey").press("Enter");
  await expect(page.getByText("Passkey added.")).toBeVisible();
  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
  const other = await newContext(browser, copy.url);
  const phone = await other.newPage();
  await phone.setViewportSize({ width: 390, height: 800 });
  const its = await addAuthenticator(phone);
  for (const credential of credentials) {
    await its.cdp.send("WebAuthn.addCredential", { authenticatorId: its.authenticatorId, credential });
  }
  // Keeps the passkey from logging in by itself as a suggestion.
  await its.setPresence(false);
  await logIn(phone, email);
  await phone.waitForURL(/\/auth\/second-step/);
  await its.setPresence(true);
  const button = phone.getByRole("button", { name: "Use a passkey" });
  await expect(button).toBeEnabled();
  await button.focus();
  await phone.keyboard.press("Enter");
  await phone.waitForURL("/dashboard");
  await other.close();
});

test("logs in by password alone after an admin has removed the two-step login", async ({ page, browser, copy }) => {
  const email = await signUpConfirmed(page, copy);
  await page.goto("/account/two-step");
  await setUpApp(page);
  const admin = await otherPage(browser, copy, "admin", `/admin/customers?q=${encodeURIComponent(email)}`);
  await admin.setViewportSize({ width: 390, height: 800 });
  await admin.getByRole("link", { name: email }).click();
  const card = admin.getByRole("region", { name: "Access" });
  await card.getByLabel("Reason").fill("Lost the phone and the codes");
  await auditPage(admin, "the access of a customer with a second factor");
  await card.getByRole("button", { name: "Remove two-step login" }).click();
  const dialog = admin.getByRole("dialog");
  await dialog.getByRole("button", { name: "Remove two-step login" }).click();
  await expect(admin.getByText("Two-step login removed.")).toBeVisible();
  await expect(card.getByRole("button", { name: "Remove two-step login" })).toHaveCount(0);
  expect(await linkInEmail(copy, email, /two-step login of your .+ was removed/)).toContain("/account/two-step");

  await page.goto("/dashboard");
  await page.waitForURL(/\/auth\/login/);
  await logIn(page, email);
  await page.waitForURL("/dashboard");
  await admin.context().close();
});

test("holds staff without a second factor at its setup, where one is required", async ({ page, context, copy }) => {
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
      await page.goto(path);
      await expect(page).toHaveURL(`${copy.url}/account/two-step`);
    }
    await expect(page.getByText("Your role requires a second step.")).toBeVisible();
    await expect(page.getByText(`npm run admin -- ${email} admin --remote`)).toBeVisible();
    await expect(page.getByRole("button", { name: "Set up authenticator app" })).toHaveCount(0);
    expect((await context.request.get("/admin/inbox")).status()).toBe(403);
    await auditPage(page, "the setup that staff are held at");
    await forgetSession(page);
    await page.goto(link);
    await page.waitForURL(/\/auth\/login/);
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("button", { name: "Start setup" }).click();
    await page.waitForURL("/account/two-step");
    await setUpApp(page);
    await page.goto("/admin/orders");
    await expect(page).toHaveURL(`${copy.url}/admin/orders`);
    await page.goto(`/admin/customers?q=${copy.demo.agent.email}`);
    await page.getByRole("link", { name: copy.demo.agent.email }).click();
    const access = page.getByRole("region", { name: "Access" });
    await access.getByLabel("Reason").fill("The first one expired");
    await access.getByRole("button", { name: "Send setup link" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send setup link" }).click();
    await expect(page.getByText("Setup link sent.")).toBeVisible();
    allowConsole(page, /status of 400/);
    await page.goto("/account/two-step");
    await page.getByRole("button", { name: "Remove authenticator app" }).click();
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await expect(page.getByText("Your role requires a second step. Add another")).toBeVisible();
  } finally {
    await copy.configure({});
  }
});

/** Logs in by password, up to the second step. */
async function logInToSecondStep(page: Page, email: string): Promise<void> {
  await logIn(page, email);
  await page.waitForURL(/\/auth\/second-step/);
}

/** Logs the browser out without telling the server. A page with a stored session would restore the cookie from it. */
async function forgetSession(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.clear());
  await page.context().clearCookies();
}

/** Sets up an authenticator app from the key below the QR code, and confirms it. */
async function setUpApp(page: Page): Promise<TOTP> {
  await page.getByRole("button", { name: "Set up authenticator app" }).click();
  await expect(page.getByRole("img", { name: "QR code of the key" })).toBeVisible();
  const key = (await page.locator("code").first().textContent()) ?? "";
  const totp = new TOTP({ secret: Secret.fromBase32(key.replaceAll(" ", "")) });
  await page.getByLabel("Code from your app").fill(totp.generate());
  await page.getByRole("button", { name: "Confirm code" }).click();
  await expect(page.locator("ol.font-mono li")).toHaveCount(10);
  return totp;
}

type VirtualAuthenticator = {
  cdp: CDPSession;
  authenticatorId: string;
  /** Whether it answers every question at once, suggestions in a field too. */
  setPresence(enabled: boolean): Promise<void>;
};

async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options: AUTHENTICATOR });
  const setPresence = async (enabled: boolean) => {
    await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  };
  return { cdp, authenticatorId, setPresence };
}

/** Logs in by the button, without typing an email address. The field suggests nothing, which would log in by itself. */
async function logInWithPasskey(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
  await page.goto("/auth/login");
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
}

function newContext(browser: { newContext(options: { baseURL: string }): Promise<BrowserContext> }, baseURL: string) {
  return browser.newContext({ baseURL });
}
