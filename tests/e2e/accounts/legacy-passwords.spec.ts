import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import bcrypt from "bcryptjs";
import { allowConsole, expect, logIn, test } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

const root = join(import.meta.dirname, "..", "..", "..");
/** PHP's own test vector. */
const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";
const PASSWORD = "rasmuslerdorf";

/** Imported by one run of the tool, which takes seconds of processor time to start. */
const ONCE = `${crypto.randomUUID()}@legacy.example`;
const AT_ONCE = `${crypto.randomUUID()}@legacy.example`;
test.beforeAll(({ copy }) =>
  importAccounts(copy, {
    [ONCE]: HASH,
    // A cost that makes both checks overlap, so that both finish before either migrates the password.
    [AT_ONCE]: bcrypt.hashSync(PASSWORD, 12),
  }),
);

test("logs in an imported account with its old password, and welcomes it once", async ({ page }) => {
  // 403: on a slow machine, the page may still be requesting its session when the session ends.
  allowConsole(page, /status of 40[03]/);
  const email = ONCE;
  await logIn(page, email, "not the password");
  await expect(
    page.getByText("Invalid password. Please enter your correct password to migrate your account."),
  ).toBeVisible();
  await logIn(page, email, PASSWORD);
  await page.waitForURL("/dashboard");
  await expect(page.getByText("Password successfully migrated! Welcome back!")).toBeVisible();
  await page.reload();
  await expect(page.getByText("Password successfully migrated! Welcome back!")).toHaveCount(0);
  await page.getByRole("button", { name: "Log out" }).click();
  await expect(page.getByRole("link", { name: "Log in" })).toBeVisible();
  await logIn(page, email, PASSWORD);
  await page.waitForURL("/dashboard");
  await expect(page.getByText("Welcome back", { exact: false })).toHaveCount(0);
});

test("migrates the password once when two browsers log in at the same moment, and welcomes both", async ({
  browser,
  copy,
}) => {
  const email = AT_ONCE;
  const pages = await Promise.all([0, 1].map(async () => (await browser.newContext()).newPage()));
  await Promise.all(
    pages.map(async (page) => {
      await page.goto(`${copy.url}/auth/login`);
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    }),
  );
  // On a slow machine, the first request could finish before the second is sent, which then uses the new password.
  const sent = pages.map(() => Promise.withResolvers<void>());
  for (const [at, page] of pages.entries()) {
    await page.route("**/auth/login*", async (route) => {
      if (route.request().method() === "POST") {
        sent[at]?.resolve();
        await Promise.all(sent.map(({ promise }) => promise));
      }
      await route.continue();
    });
  }
  const toasts = await Promise.all(
    pages.map(async (page) => {
      await page.getByRole("button", { name: "Log in", exact: true }).click();
      const toast = await page.getByText(/Welcome back!/).textContent();
      await page.waitForURL("**/dashboard");
      return toast;
    }),
  );
  expect(toasts.sort()).toEqual([
    "Password successfully migrated! Welcome back!",
    "Welcome back! Password migration complete.",
  ]);
});

/** `hashes`: of each account's password, by its email address. */
async function importAccounts(copy: LocalCopy, hashes: Record<string, string>): Promise<void> {
  const file = join(copy.stateDir, "legacy.json");
  const accounts = Object.entries(hashes).map(([email, password]) => ({ email, password, name: "Old Customer" }));
  await writeFile(file, JSON.stringify(accounts));
  execFileSync(process.execPath, ["tools/bootstrap.mjs", "tools/data/import-legacy.ts", file], {
    cwd: root,
    env: { ...process.env, STATE_DIR: copy.stateDir },
  });
}
