import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "#tools/run/database.ts";
import { applyMigrations, readDatabases } from "#tools/run/migrations.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "growline-test-"));
const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";
const EVIL = "$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK";

// Each run of the command starts two processes.
vi.setConfig({ testTimeout: 120_000 });

beforeAll(async () => {
  const database = await openDatabase({ remote: false, stateDir: folder, create: true });
  const [main] = readDatabases(root).filter(({ binding }) => binding === "DB");
  await applyMigrations(database.binding, main?.migrations ?? []);
  await database.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("lets no name become somebody else's row", async () => {
  const rows = [`att@l.example,x;victim@l.example;${EVIL},${HASH}`, `victim@l.example,Vic,${HASH}`];
  const run = importText("attack.csv", ["email,name,password", ...rows].join("\n"));
  expect(run).toEqual({ status: 0, lines: [], summary: "2 rows: 2 stored, 0 already existed, 0 refused." });
  expect(await stored()).toMatchObject([
    { email: "att@l.example", name: `x;victim@l.example;${EVIL}`, hash: HASH },
    { email: "victim@l.example", name: "Vic", hash: HASH },
  ]);
});

test("refuses a row with too many cells, and imports the others", async () => {
  const rows = [`evil@m.example,x,victim@m.example,${EVIL},${HASH}`, `victim@m.example,Vic,${HASH}`];
  expect(importText("wide.csv", ["email,name,password", ...rows].join("\r\n"))).toEqual({
    status: 0,
    lines: ["line 2: : 5 cells instead of 3"],
    summary: "2 rows: 1 stored, 0 already existed, 1 refused.",
  });
  expect(await stored("%@m.example")).toMatchObject([{ email: "victim@m.example", hash: HASH }]);
});

test("stores nothing of a file in which a row may go on at the next line", async () => {
  const forged = `victim@n.example,Vic,${EVIL}`;
  const short = importText(
    "short.csv",
    `email,name,password\nevil@n.example,x\n${forged}\nowner@n.example,Ann,${HASH}`,
  );
  expect(short).toEqual({
    status: 1,
    lines: ["line 2: : 2 cells instead of 3"],
    summary: expect.stringMatching(/^3 rows: nothing stored\. .* Fix these lines and import again\.$/),
  });
  const six = [1, 2, 3, 4, 5, 6].map((n) => `a${n}@n.example,${n === 3 ? '"Ann' : "Ann"},${HASH}`);
  const stray = importText("stray.csv", ["email,name,password", ...six].join("\n"));
  expect(stray).toMatchObject({ status: 1, lines: ["line 4: : a quote is never closed"] });
  expect(stray.summary).toMatch(/^6 rows: nothing stored\./);
  expect(await stored("%@n.example")).toEqual([]);
  expect(importText("stray.csv", ["email,name,password", ...six].join("\n"), "--skip-broken")).toEqual({
    status: 0,
    lines: ["line 4: : a quote is never closed"],
    summary: "6 rows: 5 stored, 0 already existed, 1 refused.",
  });
});

test("refuses text that is not UTF-8, impossible times and unclear duplicates, each with its line", async () => {
  const rows = [
    "email,name,password,created_at",
    `latin@o.example,Jos\u00e9,${HASH},2020-01-02`,
    `late@o.example,A,${HASH},2099-01-01 00:00:00`,
    `later@o.example,A,${HASH},9999-12-31`,
    `early@o.example,A,${HASH},1919-01-01`,
    `odd@o.example,A,${HASH},last week`,
    `two@o.example,A,${HASH},`,
    `TWO@o.example,B,${EVIL},`,
    `same@o.example,A,${HASH},`,
    `same@o.example,A,${HASH},`,
    `fine@o.example,A,${HASH},2020-01-02 03:04:05`,
  ];
  const run = importText("mixed.csv", Buffer.from(rows.join("\n"), "latin1"));
  expect(run).toEqual({
    status: 0,
    lines: [
      "line 2: : not UTF-8 text",
      "line 3: late@o.example: signed up on 2099-01-01, which can't be",
      "line 4: later@o.example: signed up on 9999-12-31, which can't be",
      "line 5: early@o.example: signed up on 1919-01-01, which can't be",
      "line 6: odd@o.example: not a time of sign-up: last week",
      "line 7: two@o.example: same email address as line 8, with another password",
      "line 8: TWO@o.example: same email address as line 7, with another password",
      "line 10: same@o.example: same email address as line 9",
    ],
    summary: "10 rows: 2 stored, 0 already existed, 8 refused.",
  });
  expect(await stored("%@o.example")).toMatchObject([{ email: "fine@o.example" }, { email: "same@o.example" }]);
  const wide = importText("wide.csv", Buffer.from(`\ufeff${rows.join("\n")}`, "utf16le"));
  expect(wide).toMatchObject({ status: 1, lines: [], summary: expect.stringContaining("iconv -f UTF-16 -t UTF-8") });
});

/** Runs the command on a file. `lines` are its refusals, `summary` the line that counts or stops. */
function importText(name: string, content: string | Buffer, ...options: string[]) {
  const file = join(folder, name);
  writeFileSync(file, content);
  const command = ["tools/bootstrap.mjs", "tools/data/import-legacy.ts", file, "--state-dir", folder, ...options];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { status, lines, summary: stderr.split("\n").find((line) => /^(\d+ rows|Stopped):/.test(line)) ?? stderr };
}

async function stored(like = "%"): Promise<object[]> {
  const database = await openDatabase({ remote: false, stateDir: folder });
  const { results } = await database.binding
    .prepare(
      `select users.email, full_name as name, mysql_password_hash as hash from users
       join profiles on profiles.user_id = users.id join temp_mysql_passwords on temp_mysql_passwords.user_id = users.id
       where users.email like ? order by users.email`,
    )
    .bind(like)
    .all();
  await database.close();
  return results;
}
