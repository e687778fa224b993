import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyMigrations, readDatabases } from "#tools/run/migrations.ts";
import { keepSecrets } from "#tools/run/state-secrets.ts";
import { openStores, root } from "./open-stores.ts";

const folder = mkdtempSync(join(tmpdir(), "growline-backup-"));
const from = join(folder, "from");
const KEY = `1:${Buffer.alloc(32, 7).toString("base64")}`;

beforeAll(async () => {
  const { stores, close } = await openStores(from);
  for (const { binding, migrations } of readDatabases(root)) {
    await applyMigrations(stores[binding as "DB" | "DB_SUPPORT"], migrations);
  }
  await stores.DB.batch([
    stores.DB.prepare("insert into users (id, email, created_at) values ('ada', 'ada@test.example', 1)"),
    stores.DB.prepare("insert into wallets (user_id, balance) values ('ada', 500)"),
    stores.DB.prepare(
      "insert into ledger (user_id, kind, amount, balance_after, created_at) values ('ada', 'topup', 500, 500, 1)",
    ),
  ]);
  for (const name of ["file", "lost"]) await stores.UPLOADS.put(`ada/${name}`, "content");
  await close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("backs up a copy that is not running, and fills another one, once", { timeout: 300_000 }, async () => {
  expect(run("backup.ts", "--state-dir", from).stderr).toContain("There are no BACKUP_KEYS");
  const env = { BACKUP_KEYS: KEY };
  const backup = run("backup.ts", "--state-dir", from, env);
  expect(backup.stdout).toMatch(/^Backup \S+Z: \d+ rows and files, 0\.\d\d MB, in [\d.]+ s\.\nIt shows the moment /m);
  const [, id = ""] = /^Backup (\S+):/m.exec(backup.stdout) ?? [];
  expect(run("restore.ts", "--from", from, env).stdout).toBe(`${id}\n`);
  const to = join(folder, "to");
  const wrong = { BACKUP_KEYS: `1:${Buffer.alloc(32, 8).toString("base64")}` };
  const refused = run("restore.ts", "--from", from, "latest", "--state-dir", to, wrong);
  expect([refused.status, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/^Nothing was restored: the manifest of .*another one/),
  ]);
  const source = await openStores(from);
  await source.stores.BACKUPS.delete("files/ada/lost");
  await source.close();
  const restored = run("restore.ts", "--from", from, "latest", "--state-dir", to, env);
  expect([restored.status, restored.stderr]).toEqual([1, ""]);
  expect(restored.stdout).toContain("all checksums are right");
  expect(restored.stdout).toContain("Files: 1 copied, 0 there, 1 missing, 0 damaged.\n  missing: ada/lost\n");
  expect(restored.stdout).toContain("The ledger is clean.");
  const again = run("restore.ts", "--from", from, id, "--state-dir", to, env);
  expect([again.status, again.stderr]).toEqual([1, expect.stringContaining("DB is not empty")]);
  const { stores, close } = await openStores(to);
  expect(await stores.DB.prepare("select balance from wallets").first()).toEqual({ balance: 500 });
  expect(await (await stores.UPLOADS.get("ada/file"))?.text()).toBe("content");
  await close();
});

test("restores from a folder that the bucket was copied to, without the account", { timeout: 300_000 }, async () => {
  const copied = join(folder, "copied");
  const source = await openStores(from);
  const keys = (await source.stores.BACKUPS.list()).objects.map(({ key }) => key);
  expect(keys.length).toBeGreaterThan(3);
  for (const key of keys) {
    mkdirSync(dirname(join(copied, key)), { recursive: true });
    writeFileSync(
      join(copied, key),
      new Uint8Array((await (await source.stores.BACKUPS.get(key))?.arrayBuffer()) ?? []),
    );
  }
  await source.close();
  const env = { BACKUP_KEYS: KEY };
  const id = keys.find((key) => key.endsWith("/manifest"))?.split("/")[1];
  expect(run("restore.ts", "--from", copied, env).stdout).toBe(`${id}\n`);
  expect(run("restore.ts", "--from", copied, "latest", "--check", env).stdout).toContain("all checksums are right");
  const to = join(folder, "elsewhere");
  const restored = run("restore.ts", "--from", copied, "latest", "--state-dir", to, env);
  expect(restored.stderr).toBe("");
  expect(restored.stdout).toContain("Files: 1 copied, 0 there, 1 missing, 0 damaged.\n  missing: ada/lost\n");
  expect(restored.stdout).toContain("The ledger is clean.");
  const { stores, close } = await openStores(to);
  expect(await stores.DB.prepare("select balance from wallets").first()).toEqual({ balance: 500 });
  expect(await (await stores.UPLOADS.get("ada/file"))?.text()).toBe("content");
  await close();
});

test("passes over a backup whose ledger had known faults, unless it is named", { timeout: 300_000 }, async () => {
  const env = { BACKUP_KEYS: KEY };
  const { stores, close } = await openStores(from);
  const insert =
    "insert into ledger_faults (rule, subject, is_now, should_be, found_at) values ('rule', 'ada', 1, 2, 3)";
  await stores.DB.prepare(insert).run();
  await close();
  const backup = run("backup.ts", "--state-dir", from, env);
  expect(backup.stdout).toContain("Its ledger had known faults: 1. A restore takes an older one as the latest.\n");
  const [sound, faulty] = run("restore.ts", "--from", from, env).stdout.trim().split("\n");
  const latest = run("restore.ts", "--from", from, "latest", "--check", env).stdout;
  expect(latest).toContain(
    `Passes over ${faulty}: its ledger had known faults (1). To take it anyway, name it.\n${sound}: `,
  );
  const named = run("restore.ts", "--from", from, faulty ?? "", "--check", env).stdout;
  expect(named).toContain("Its ledger had known faults when it was made: 1.\n");

  const source = await openStores(from);
  await source.stores.BACKUPS.delete(`backups/${sound}/manifest`);
  await source.close();
  const none = run("restore.ts", "--from", from, "latest", "--check", env);
  expect([none.status, none.stderr]).toEqual([
    1,
    expect.stringContaining("the ledger of every backup had known faults"),
  ]);
});

test("takes the key of a local copy from its secrets", { timeout: 120_000 }, () => {
  const other = join(folder, "other");
  const missing = run("backup.ts", "--state-dir", other);
  expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining("holds no local copy")]);
  const usage = run("restore.ts");
  expect([usage.status, usage.stderr]).toEqual([2, expect.stringContaining("--from is missing")]);
});

test("makes a key for backups in a copy that has none, and keeps it", () => {
  const dir = mkdtempSync(join(folder, "new-"));
  const { BACKUP_KEYS } = keepSecrets(dir);
  expect(BACKUP_KEYS).toMatch(/^1:[\w+/]{43}=$/);
  expect(keepSecrets(dir).BACKUP_KEYS).toBe(BACKUP_KEYS);
});

function run(tool: string, ...args: (string | Record<string, string>)[]) {
  const env = args.find((arg) => typeof arg === "object") ?? {};
  const words = args.filter((arg) => typeof arg === "string");
  const { BACKUP_KEYS: _, ...inherited } = process.env;
  return spawnSync(process.execPath, [join(import.meta.dirname, tool), ...words], {
    cwd: root,
    encoding: "utf8",
    env: { ...inherited, ...env },
  });
}
