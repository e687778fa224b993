import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { seal, unseal } from "#app/crypto/seal.server.ts";
import { connect } from "#app/db/db.server.ts";
import { providers } from "#app/db/schema.server.ts";
import { providerKeyContext } from "#app/orders/providers/provider-link.server.ts";
import { openDatabase } from "#tools/run/database.ts";
import { applyMigrations, readDatabases } from "#tools/run/migrations.ts";
import { lockState } from "#tools/run/state-lock.ts";
import { keepSecrets, keyVersions, readSecrets } from "#tools/run/state-secrets.ts";

/** Checks what the commands do beside a running copy, and without one. */

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "growline-commands-"));
const stateDir = join(folder, "state");
const PANEL = "Panel";

// Each run of a command starts two processes.
vi.setConfig({ testTimeout: 120_000 });

beforeAll(async () => {
  mkdirSync(stateDir);
  keepSecrets(stateDir);
  const database = await openDatabase({ remote: false, stateDir, create: true });
  const [main] = readDatabases(root).filter(({ binding }) => binding === "DB");
  await applyMigrations(database.binding, main?.migrations ?? []);
  await database.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["tools/data/set-role.ts", ["a@b.example", "admin"]],
  ["tools/data/run-ledger-check.ts", []],
  ["tools/data/keys-rotate.ts", ["--new-key"]],
  ["tools/data/import-legacy.ts", ["users.csv"]],
  ["tools/pages/screenshots.ts", []],
  ["tools/pages/chat-screenshots.ts", []],
])("%s names a mistyped STATE_DIR in one line and does not create it", (file, args) => {
  writeFileSync(join(folder, "users.csv"), "email,name,password\n");
  const missing = join(folder, "stat");
  const { status, stderr } = run(file, args, { STATE_DIR: missing, INIT_CWD: folder });
  expect(stderr.trim().split("\n")).toEqual([
    expect.stringContaining(`${missing} holds no local copy. Name its folder`),
  ]);
  expect(status).toBe(1);
  expect(existsSync(missing)).toBe(false);
});

test("checks the ledger of a copy that holds its databases locked", async () => {
  const locked = globSync(join(stateDir, "v3/d1/**/*.sqlite")).map((file) => new DatabaseSync(file));
  for (const database of locked) database.exec("BEGIN IMMEDIATE");
  const { status, stdout, stderr } = run("tools/data/run-ledger-check.ts", []);
  for (const database of locked) database.close();
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^ok .*The ledger is clean\.\n$/s);
  expect(status).toBe(0);
});

test("refuses a database that an earlier text of the same migrations made", async () => {
  const { binding, close } = await openDatabase({ remote: false, stateDir });
  const migrations = readDatabases(root).find((one) => one.binding === "DB")?.migrations ?? [];
  try {
    await expect(applyMigrations(binding, migrations)).resolves.toBeUndefined();
    await binding.exec("ALTER TABLE job_runs RENAME TO job_runs_before");
    await expect(applyMigrations(binding, migrations)).rejects.toThrow(
      /earlier text of its migrations\. Delete the state/,
    );
    await binding.exec("ALTER TABLE job_runs_before RENAME TO job_runs");
  } finally {
    await close();
  }
});

test("rotates the keys of a stopped copy, and keeps the old one until it is told to remove it", async () => {
  const [first] = keyVersions(secretsOf().ENCRYPTION_KEYS);
  await storeProviderKey(secretsOf().ENCRYPTION_KEYS);

  const rotated = run("tools/data/keys-rotate.ts", ["--new-key"]);
  expect(rotated).toMatchObject({ status: 0, stderr: "" });
  expect(rotated.stdout).toMatch(/^providers\.encrypted_key +1 re-encrypted/);
  expect(rotated.stdout).toMatch(
    /key version 2\. Keeps key version 1: npm run keys:rotate -- --remove-old removes it\./,
  );
  expect(keyVersions(secretsOf().ENCRYPTION_KEYS)).toEqual(["2", first]);

  const removed = run("tools/data/keys-rotate.ts", ["--remove-old"]);
  expect(removed).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/Removed key version 1\. Backups from before/),
  });
  expect(keyVersions(secretsOf().ENCRYPTION_KEYS)).toEqual(["2"]);
  expect(await readProviderKey(secretsOf().ENCRYPTION_KEYS)).toBe("a provider's key");
});

test("keeps an old key while a value needs one that is missing", async () => {
  const before = secretsOf().ENCRYPTION_KEYS;
  await storeProviderKey(`7:${btoa("z".repeat(32))}`);
  const rotated = run("tools/data/keys-rotate.ts", ["--new-key"]);
  expect(rotated).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/key that is missing here\. No key was removed\.\n$/),
  });
  const removed = run("tools/data/keys-rotate.ts", ["--remove-old"]);
  expect(removed.status).toBe(1);
  expect(secretsOf().ENCRYPTION_KEYS.endsWith(`,${before}`)).toBe(true);
  await storeProviderKey(secretsOf().ENCRYPTION_KEYS);
});

test("changes no key beside a running copy, and re-encrypts beside one that has read the newest", async () => {
  const before = readFileSync(join(stateDir, "secrets.json"), "utf8");
  const lock = lockState(stateDir, { command: "npm start", url: "http://localhost:8787" }, "");
  try {
    lock.describe({ keyVersions: ["1"] });
    for (const args of [["--new-key"], ["--remove-old"], []]) {
      const { status, stderr } = run("tools/data/keys-rotate.ts", args);
      expect(stderr.trim().split("\n")).toEqual([
        expect.stringMatching(/is in use by npm start at http:\/\/localhost:8787 .* Stop it, then run this again\.$/),
      ]);
      expect(status).toBe(1);
    }
    lock.describe({ keyVersions: keyVersions(secretsOf().ENCRYPTION_KEYS) });
    expect(run("tools/data/keys-rotate.ts", [])).toMatchObject({ status: 0, stderr: "" });
    expect(run("tools/data/keys-rotate.ts", ["--new-key"]).status).toBe(1);
    expect(readFileSync(join(stateDir, "secrets.json"), "utf8")).toBe(before);
  } finally {
    lock.release();
  }
});

test("goes on with a rotation that was killed", async () => {
  const child = spawn(process.execPath, ["tools/data/keys-rotate.ts", "--new-key"], {
    cwd: root,
    env: { ...process.env, STATE_DIR: stateDir },
    stdio: "ignore",
  });
  const before = keyVersions(secretsOf().ENCRYPTION_KEYS).length;
  await vi.waitUntil(() => keyVersions(secretsOf().ENCRYPTION_KEYS).length > before, { timeout: 60_000, interval: 5 });
  child.kill("SIGKILL");
  await once(child, "exit");
  const again = run("tools/data/keys-rotate.ts", []);
  expect(again).toMatchObject({ status: 0, stderr: "" });
  expect(await readProviderKey(secretsOf().ENCRYPTION_KEYS.split(",")[0] ?? "")).toBe("a provider's key");
});

function run(file: string, args: string[], env: Record<string, string> = {}) {
  return spawnSync(process.execPath, [file, ...args], {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, STATE_DIR: stateDir, ...env },
  });
}

function secretsOf() {
  const kept = readSecrets(stateDir);
  if (!kept) throw new Error("no secrets");
  return kept;
}

async function storeProviderKey(keys: string): Promise<void> {
  const database = await openDatabase({ remote: false, stateDir });
  const encryptedKey = await seal(keys, providerKeyContext(PANEL), "a provider's key");
  await connect(database.binding)
    .insert(providers)
    .values({ name: PANEL, apiUrl: "https://panel.example", encryptedKey, createdAt: 0 })
    .onConflictDoUpdate({ target: providers.name, set: { encryptedKey } });
  await database.close();
}

async function readProviderKey(keys: string): Promise<string> {
  const database = await openDatabase({ remote: false, stateDir });
  const [panel] = await connect(database.binding).select().from(providers).where(eq(providers.name, PANEL));
  await database.close();
  return unseal(keys, providerKeyContext(PANEL), panel?.encryptedKey ?? "");
}
