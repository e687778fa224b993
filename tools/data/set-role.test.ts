import { spawnSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import { openDatabase } from "#tools/run/database.ts";
import { applyMigrations, readDatabases } from "#tools/run/migrations.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "growline-test-"));

// Each run of the command starts two processes.
vi.setConfig({ testTimeout: 120_000 });

beforeAll(async () => {
  const database = await openDatabase({ remote: false, stateDir: folder, create: true });
  const [main] = readDatabases(root).filter(({ binding }) => binding === "DB");
  await applyMigrations(database.binding, main?.migrations ?? []);
  const db = connect(database.binding);
  const person = { password: "correct horse battery", fullName: "" };
  await createAccount(db, { ...person, email: "unconfirmed@role.example" });
  await createAccount(db, { ...person, email: "confirmed@role.example", emailConfirmedAt: 1 });
  await database.close();
  writeFileSync(join(folder, "demo.json"), JSON.stringify({ url: "http://localhost:8787" }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SETUP = /^http:\/\/localhost:8787\/account\/two-step\?link=[\w-]{43}$/m;
const RESET = /^http:\/\/localhost:8787\/reset-password\?token=[\w-]{43}$/m;

test("makes a confirmed account staff and prints the setup link alone", () => {
  const { status, out } = setRole("confirmed@role.example", "admin");
  expect([status, out]).toEqual([0, expect.stringMatching(SETUP)]);
  expect(out).not.toMatch(RESET);
});

test("refuses to make an unconfirmed account staff, until the operator vouches for the address", async () => {
  const refused = setRole("unconfirmed@role.example", "agent");
  expect(refused.status).toBe(1);
  expect(refused.out).toMatch(/not confirmed.*Nothing was changed/s);
  expect(await roleOf("unconfirmed@role.example")).toEqual({ role: "customer", hasPassword: 1 });
  const vouched = setRole("unconfirmed@role.example", "agent", "--vouch");
  expect([vouched.status, vouched.out]).toEqual([0, expect.stringMatching(SETUP)]);
  expect(vouched.out).toMatch(RESET);
  expect(await roleOf("unconfirmed@role.example")).toEqual({ role: "agent", hasPassword: 0 });
});

test("says why it prints no setup link for a copy that was never started, as a restored one", () => {
  const demo = join(folder, "demo.json");
  renameSync(demo, `${demo}.away`);
  const { status, out } = setRole("confirmed@role.example", "agent");
  renameSync(`${demo}.away`, demo);
  expect([status, out]).toEqual([0, expect.stringContaining("Start the copy once, then run this again")]);
  expect(out).not.toMatch(SETUP);
});

test("says that no account uses an address, and how the command is used", () => {
  expect(setRole("nobody@role.example", "agent")).toMatchObject({
    status: 1,
    out: expect.stringContaining("No account"),
  });
  expect(setRole("confirmed@role.example", "owner")).toMatchObject({
    status: 2,
    out: expect.stringContaining("--vouch"),
  });
});

function setRole(...args: string[]) {
  const command = ["tools/bootstrap.mjs", "tools/data/set-role.ts", ...args, "--state-dir", folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
  return { status, out: stdout + stderr };
}

async function roleOf(email: string) {
  const database = await openDatabase({ remote: false, stateDir: folder });
  const found = await database.binding
    .prepare(
      `select role, password_hash is not null as hasPassword from profiles
       join users on users.id = profiles.user_id where profiles.email = ?`,
    )
    .bind(email)
    .first();
  await database.close();
  return found;
}
