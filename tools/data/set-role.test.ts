import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { connect } from "#app/db/db.server.ts";
import { storedRows } from "#tests/product/copy-database.ts";
import { migratedState } from "#tests/product/migrated-state.ts";
import { runCommand } from "#tests/product/run-command.ts";
import { openDatabase } from "#tools/run/database.ts";

const COMMAND = "tools/data/set-role.ts";
const folder = mkdtempSync(join(tmpdir(), "growline-test-"));

beforeAll(async () => {
  cpSync(await migratedState(), folder, { recursive: true });
  const database = await openDatabase({ remote: false, stateDir: folder });
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

test("makes a confirmed account staff and prints the setup link alone", async () => {
  const { status, out } = await setRole("confirmed@role.example", "admin");
  expect([status, out]).toEqual([0, expect.stringMatching(SETUP)]);
  expect(out).not.toMatch(RESET);
});

test("refuses to make an unconfirmed account staff, until the operator vouches for the address", async () => {
  const refused = await setRole("unconfirmed@role.example", "agent");
  expect(refused.status).toBe(1);
  expect(refused.out).toMatch(/not confirmed.*Nothing was changed/s);
  expect(roleOf("unconfirmed@role.example")).toEqual({ role: "customer", hasPassword: 1 });
  const vouched = await setRole("unconfirmed@role.example", "agent", "--vouch");
  expect([vouched.status, vouched.out]).toEqual([0, expect.stringMatching(SETUP)]);
  expect(vouched.out).toMatch(RESET);
  expect(roleOf("unconfirmed@role.example")).toEqual({ role: "agent", hasPassword: 0 });
});

test("says why it prints no setup link for a copy that was never started, as a restored one", async () => {
  const demo = join(folder, "demo.json");
  renameSync(demo, `${demo}.away`);
  const { status, out } = await setRole("confirmed@role.example", "agent");
  renameSync(`${demo}.away`, demo);
  expect([status, out]).toEqual([0, expect.stringContaining("Start the copy once, then run this again")]);
  expect(out).not.toMatch(SETUP);
});

test("says that no account uses an address, and how the command is used", async () => {
  expect(await setRole("nobody@role.example", "agent")).toMatchObject({
    status: 1,
    out: expect.stringContaining("No account"),
  });
  expect(await setRole("confirmed@role.example", "owner")).toMatchObject({
    status: 2,
    out: expect.stringContaining("--vouch"),
  });
});

async function setRole(...args: string[]) {
  const { status, stdout, stderr } = await runCommand(COMMAND, [...args, "--state-dir", folder]);
  return { status, out: stdout + stderr };
}

function roleOf(email: string) {
  const [found] = storedRows(
    folder,
    `select role, password_hash is not null as hasPassword from profiles
     join users on users.id = profiles.user_id where profiles.email = ?`,
    email,
  );
  return found;
}
