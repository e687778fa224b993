import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "#tests/e2e/fixtures.ts";

test("lists settings but no secret on the environment page, and resets onboarding by clearing both flags, which it confirms", async ({
  page,
  copy,
}) => {
  await page.goto("/debug/env");
  await expect(page.getByRole("region", { name: "Platform" })).toContainText("web");
  await expect(page.getByRole("region", { name: "Bindings and secrets" })).toContainText("SESSION_SECRET");
  await expect(page.getByRole("region", { name: "Public settings" })).toContainText("local");
  const html = await page.content();
  const secrets = JSON.parse(await readFile(join(copy.stateDir, "secrets.json"), "utf8")) as Record<string, unknown>;
  for (const [name, secret] of Object.entries(secrets)) {
    if (typeof secret === "string") expect(html.includes(secret), name).toBe(false);
  }

  const keys = ["growline.onboarding.web.v1", "growline.onboarding.app.v1"];
  await page.evaluate((names) => names.forEach((name) => void localStorage.setItem(name, "done")), keys);
  await page.goto("/debug/reset-onboarding");
  await expect(page.getByRole("status").filter({ hasText: "Cleared" })).toContainText(keys[0] ?? "");
  expect(await page.evaluate((names) => names.map((name) => localStorage.getItem(name)), keys)).toEqual([null, null]);
});

test("lists the emails sent by this copy", { tag: "@nightly" }, async ({ page, copy }) => {
  await page.goto("/reset-password");
  await page.getByLabel("Email address").fill(copy.demo.agent.email);
  await page.getByRole("button", { name: "Send reset link" }).click();
  await expect(page.getByText(/we've sent a link/)).toBeVisible();
  await expect(async () => {
    await page.goto("/debug/mail");
    // Tests before this one may have sent the agent others.
    const sent = page.getByRole("article", { name: /^Reset your .* password$/ }).first();
    await expect(sent).toContainText(`To ${copy.demo.agent.email}`, { timeout: 500 });
  }).toPass();
});
