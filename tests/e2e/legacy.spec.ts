import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { allowConsole, expect, logIn, test } from "./fixtures.ts";

const root = join(import.meta.dirname, "../..");
/** PHP's own test vector. */
const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";
const PASSWORD = "rasmuslerdorf";

test("an imported account is welcomed with its old password, once", async ({ page, copy }) => {
  allowConsole(page, /status of 400/);
  const email = `${crypto.randomUUID()}@legacy.example`;
  const file = join(copy.stateDir, "legacy.json");
  await writeFile(file, JSON.stringify([{ email, password: HASH, name: "Old Customer" }]));
  execFileSync(process.execPath, ["tools/bootstrap.mjs", "tools/import-legacy.ts", file], {
    cwd: root,
    env: { ...process.env, STATE_DIR: copy.stateDir },
  });
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
