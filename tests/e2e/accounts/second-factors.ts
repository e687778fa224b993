import type { CDPSession, Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { expect } from "#tests/e2e/fixtures.ts";

/** A code is valid for this long. */
export const STEP_MS = 30_000;

const AUTHENTICATOR = {
  protocol: "ctap2",
  ctap2Version: "ctap2_1",
  transport: "internal",
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
} as const;

type VirtualAuthenticator = {
  cdp: CDPSession;
  authenticatorId: string;
  /** Whether it answers every question at once, suggestions in a field too. */
  setPresence(enabled: boolean): Promise<void>;
};

export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options: AUTHENTICATOR });
  const setPresence = async (enabled: boolean) => {
    await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled });
  };
  return { cdp, authenticatorId, setPresence };
}

/** Sets up an authenticator app on the two-step page, from the key below the QR code. Uses up the code of `atMs`. */
export async function setUpApp(page: Page, atMs = Date.now()): Promise<TOTP> {
  await page.getByRole("button", { name: "Set up authenticator app" }).click();
  await expect(page.getByRole("img", { name: "QR code of the key" })).toBeVisible();
  const key = (await page.locator("code").first().textContent()) ?? "";
  const totp = new TOTP({ secret: Secret.fromBase32(key.replaceAll(" ", "")) });
  await page.getByLabel("Code from your app").fill(totp.generate({ timestamp: atMs }));
  await page.getByRole("button", { name: "Confirm code" }).click();
  await expect(page.getByText("You have 10 of 10 recovery codes left.")).toBeVisible();
  return totp;
}
