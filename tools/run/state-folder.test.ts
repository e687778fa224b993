import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { endLeftWorkerds } from "./processes.ts";
import { replaceFile } from "./state-files.ts";
import { lockState, StateInUse } from "./state-lock.ts";
import { keepSecrets, readSecrets } from "./state-secrets.ts";

let stateDir: string;

beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "growline-state-"));
  return () => rmSync(stateDir, { recursive: true });
});

test("makes secrets once, readable by their owner only", () => {
  const made = keepSecrets(stateDir);
  expect(keepSecrets(stateDir)).toEqual(made);
  expect(statSync(join(stateDir, "secrets.json")).mode & 0o077).toBe(0);
  expect(readdirSync(stateDir)).toEqual(["secrets.json"]);
});

test("adds the key pair that an older version had not, and keeps the rest", () => {
  const { VAPID_KEYS: _, ...older } = keepSecrets(stateDir);
  writeFileSync(join(stateDir, "secrets.json"), JSON.stringify(older));
  const kept = keepSecrets(stateDir);
  expect(kept).toEqual({ ...older, VAPID_KEYS: expect.stringMatching(/^[\w-]+:[\w-]+$/) });
  expect(readSecrets(stateDir)).toEqual(kept);
});

test("makes what a restored copy has no use for, and keeps what it does not know", () => {
  const site = { ENCRYPTION_KEYS: "2:new,1:old", ANOTHER: "kept" };
  writeFileSync(join(stateDir, "secrets.json"), JSON.stringify(site));
  expect(keepSecrets(stateDir)).toMatchObject({ ...site, SESSION_SECRET: expect.any(String) });
  expect(keepSecrets(stateDir)).toEqual(readSecrets(stateDir));
});

test.each([
  ["", "is empty."],
  ['{"SESSION_SECRET": "x', "is damaged: it is not JSON."],
  ["{}", "is damaged: ENCRYPTION_KEYS is missing."],
])("names a secrets.json of %j and what to do, and leaves it", (text, fault) => {
  const file = join(stateDir, "secrets.json");
  writeFileSync(file, text);
  for (const read of [keepSecrets, readSecrets]) {
    expect(() => read(stateDir)).toThrow(`${file} ${fault} Without these keys`);
    expect(() => read(stateDir)).toThrow(`restore the file, or delete ${stateDir} to start over.`);
  }
  expect(readFileSync(file, "utf8")).toBe(text);
});

test("makes no new keys for databases that have lost theirs", () => {
  mkdirSync(join(stateDir, "v3", "d1"), { recursive: true });
  expect(() => keepSecrets(stateDir)).toThrow(/secrets\.json is missing, and with it the keys/);
  expect(readdirSync(stateDir)).toEqual(["v3"]);
});

test.skipIf(!existsSync("/dev/full"))("keeps the old file if the disk is full", () => {
  const file = join(stateDir, "demo.json");
  replaceFile(file, "old");
  symlinkSync("/dev/full", `${file}.new`);
  expect(() => replaceFile(file, "new")).toThrow(/demo\.json cannot be written: ENOSPC/);
  expect(readdirSync(stateDir)).toEqual(["demo.json"]);
  expect(readFileSync(file, "utf8")).toBe("old");
});

test("says who holds the state, and takes it over once that process has ended, however it does", async () => {
  const advice = "Stop it first.";
  const lock = lockState(stateDir, { command: "npm start", url: "http://localhost:1" }, advice);
  lock.describe({ keyVersions: ["2", "1"] });
  lock.release();
  expect(readdirSync(stateDir)).toEqual(["in-use.lock"]);

  const holder = hold(stateDir);
  await once(holder, "message");
  const take = () => lockState(stateDir, { command: "npm run admin" }, advice);
  expect(take).toThrow(StateInUse);
  expect(take).toThrow(`${stateDir} is in use by npm start at http://localhost:2 (process ${holder.pid}, since `);
  expect(take).toThrow(/\. Stop it first\.$/);

  holder.kill("SIGKILL");
  await once(holder, "exit");
  // Its file is still there, and so may be a process of its number.
  expect(readFileSync(join(stateDir, "in-use.json"), "utf8")).toContain(String(holder.pid));
  take().release();
  expect(readdirSync(stateDir)).toEqual(["in-use.lock"]);

  const ending = hold(stateDir);
  await once(ending, "message");
  ending.send("end");
  await once(ending, "exit");
  expect(readdirSync(stateDir)).toEqual(["in-use.lock"]);
});

test.skipIf(process.platform !== "linux")(
  "ends a workerd that a killed copy has left, on a folder behind a link",
  async () => {
    // As a workerd is known: by its program's name, the files that it has open, and that its starter has ended.
    const program = join(stateDir, "workerd");
    copyFileSync("/bin/sleep", program);
    mkdirSync(join(stateDir, "v3"));
    writeFileSync(join(stateDir, "v3", "db.sqlite"), "");
    const link = join(stateDir, "link");
    symlinkSync(stateDir, link);
    const script = `exec 3<"${stateDir}/v3/db.sqlite"; "${program}" 600 >/dev/null 2>&1 & echo $!`;
    const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8", timeout: 5000 });
    try {
      expect(await endLeftWorkerds(link)).toBe(1);
      expect(await endLeftWorkerds(link)).toBe(0);
    } finally {
      spawnSync("kill", ["-9", stdout.trim()]);
    }
  },
);

/** Starts a process that holds the state and says so, until it is told to end. */
function hold(folder: string) {
  const source = `
    const { lockState } = await import(${JSON.stringify(join(import.meta.dirname, "state-lock.ts"))});
    lockState(${JSON.stringify(folder)}, { command: "npm start", url: "http://localhost:2" }, "");
    process.on("message", () => process.exit(1));
    process.send("held");`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], {
    cwd: join(import.meta.dirname, "..", ".."),
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}
