import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import bcrypt from "bcryptjs";
import { allowConsole, expect, logIn, submitLogIn, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const PASSWORD = "rasmuslerdorf";
const WRONG = "Invalid password. Please enter your correct password to migrate your account.";

test("logs an imported account in with its old password, and welcomes it once", async ({ page, copy }) => {
  const email = `${crypto.randomUUID()}@legacy.example`;
  await storeAccount(copy, email, bcrypt.hashSync(PASSWORD, 4).replace("$2b$", "$2y$"));
  allowConsole(page, /status of 400/);
  await logIn(page, email, "not the password");
  await expect(page.getByText(WRONG)).toBeVisible();
  await submitLogIn(page, email, PASSWORD);
  await expect(page.getByText("Password successfully migrated! Welcome back!")).toBeVisible();
  await page.waitForURL("/dashboard");
  await page.reload();
  await untilHydrated(page);
  await expect(page.getByText("Welcome back", { exact: false })).toHaveCount(0);
});

test("migrates the old password of an imported account once when two browsers log in at the same moment, and welcomes both once", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  const email = `${crypto.randomUUID()}@legacy.example`;
  // In PHP's notation. A cost that makes both checks overlap, so that both finish before either migrates the password.
  await importAccounts(copy, { [email]: bcrypt.hashSync(PASSWORD, 12).replace("$2b$", "$2y$") });
  const pages = await Promise.all([0, 1].map(async () => (await browser.newContext({ baseURL: copy.url })).newPage()));
  const [first] = pages as [Page, Page];
  // 403: on a slow machine, the page may still be requesting its session when the session ends.
  allowConsole(first, /status of 40[03]/);
  await logIn(first, email, "not the password");
  await expect(first.getByText(WRONG)).toBeVisible();

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
      if (page === first) await submitLogIn(page, email, PASSWORD);
      else await logIn(page, email, PASSWORD);
      const toast = await page.getByText(/Welcome back!/).textContent();
      await page.waitForURL("/dashboard");
      return toast;
    }),
  );
  expect(toasts.sort()).toEqual([
    "Password successfully migrated! Welcome back!",
    "Welcome back! Password migration complete.",
  ]);

  await first.unrouteAll();
  await first.reload();
  await untilHydrated(first);
  await expect(first.getByText("Welcome back", { exact: false })).toHaveCount(0);
  await first.getByRole("button", { name: "Log out" }).click();
  await first.getByRole("link", { name: "Log in" }).click();
  await submitLogIn(first, email, PASSWORD);
  await first.waitForURL("/dashboard");
  await expect(first.getByText("Welcome back", { exact: false })).toHaveCount(0);
});

/** Stores an account as the import does, without starting a process for it. */
async function storeAccount(copy: LocalCopy, email: string, hash: string): Promise<void> {
  const id = crypto.randomUUID();
  const now = Date.now();
  const user = "insert into users (id, email, created_at, email_confirmed_at) values (?, ?, ?, ?)";
  await copy.changeRows("DB", user, id, email, now, now);
  const profile = "insert into profiles (user_id, email, full_name) values (?, ?, 'Old Customer')";
  await copy.changeRows("DB", profile, id, email);
  await copy.changeRows("DB", "insert into wallets (user_id) values (?)", id);
  const password = "insert into temp_mysql_passwords (user_id, mysql_password_hash) values (?, ?)";
  await copy.changeRows("DB", password, id, hash);
}

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
