import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { storedRows } from "#tests/product/copy-database.ts";
import { migratedState } from "#tests/product/migrated-state.ts";
import { type CommandResult, runCommand, spawnCommand } from "#tests/product/run-command.ts";

const folder = mkdtempSync(join(tmpdir(), "growline-test-"));
const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";
const EVIL = "$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK";

beforeAll(async () => cpSync(await migratedState(), folder, { recursive: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("lets no name become somebody else's row", async () => {
  const rows = [`att@l.example,x;victim@l.example;${EVIL},${HASH}`, `victim@l.example,Vic,${HASH}`];
  const file = written("attack.csv", ["email,name,password", ...rows].join("\n"));
  const run = told(spawnCommand(COMMAND, [file, "--state-dir", folder]));
  expect(run).toEqual({ status: 0, lines: [], summary: "2 rows: 2 stored, 0 already existed, 0 refused." });
  expect(stored()).toMatchObject([
    { email: "att@l.example", name: `x;victim@l.example;${EVIL}`, hash: HASH },
    { email: "victim@l.example", name: "Vic", hash: HASH },
  ]);
});

test("refuses a row with too many cells, and imports the others", async () => {
  const rows = [`evil@m.example,x,victim@m.example,${EVIL},${HASH}`, `victim@m.example,Vic,${HASH}`];
  expect(await importText("wide.csv", ["email,name,password", ...rows].join("\r\n"))).toEqual({
    status: 0,
    lines: ["line 2: : 5 cells instead of 3"],
    summary: "2 rows: 1 stored, 0 already existed, 1 refused.",
  });
  expect(stored("%@m.example")).toMatchObject([{ email: "victim@m.example", hash: HASH }]);
});

test("stores nothing of a file in which a row may go on at the next line", async () => {
  const forged = `victim@n.example,Vic,${EVIL}`;
  const short = await importText(
    "short.csv",
    `email,name,password\nevil@n.example,x\n${forged}\nowner@n.example,Ann,${HASH}`,
  );
  expect(short).toEqual({
    status: 1,
    lines: ["line 2: : 2 cells instead of 3"],
    summary: expect.stringMatching(/^3 rows: nothing stored\. .* Fix these lines and import again\.$/),
  });
  const six = [1, 2, 3, 4, 5, 6].map((n) => `a${n}@n.example,${n === 3 ? '"Ann' : "Ann"},${HASH}`);
  const stray = await importText("stray.csv", ["email,name,password", ...six].join("\n"));
  expect(stray).toMatchObject({ status: 1, lines: ["line 4: : a quote is never closed"] });
  expect(stray.summary).toMatch(/^6 rows: nothing stored\./);
  expect(stored("%@n.example")).toEqual([]);
  expect(await importText("stray.csv", ["email,name,password", ...six].join("\n"), "--skip-broken")).toEqual({
    status: 0,
    lines: ["line 4: : a quote is never closed"],
    summary: "6 rows: 5 stored, 0 already existed, 1 refused.",
  });
});

test("refuses text that is not UTF-8, impossible times and unclear duplicates, each with its line", async () => {
  const rows = [
    "email,name,password,created_at",
    `dos@o.example,M\u0081ller,${HASH},2020-01-02`,
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
  const run = await importText("mixed.csv", Buffer.from(rows.join("\n"), "latin1"));
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
  expect(stored("%@o.example")).toMatchObject([{ email: "fine@o.example" }, { email: "same@o.example" }]);
});

test("says what it recognized, and shows guessed letters", async () => {
  const text = `email,name,password\njose@p.example,Jos\u00e9,${HASH}\nann@p.example,Ann,${HASH}`;
  const western = await runCommand(COMMAND, [written("w.csv", Buffer.from(text, "latin1")), "--state-dir", folder]);
  expect(western.stderr).toContain("Read as Windows-1252 with commas between cells");
  expect(western.stderr).toContain("Check that these letters are right: line 2, Jos\u00e9.");
  expect(stored("jose@p.example")).toMatchObject([{ name: "Jos\u00e9", hash: HASH }]);
  const wide = await importText("wide.txt", Buffer.from(`\ufeff${text.replaceAll(",", "\t")}`, "utf16le"));
  expect(wide).toEqual({ status: 0, lines: [], summary: "2 rows: 0 stored, 2 already existed, 0 refused." });
  const unmarked = await importText("unmarked.txt", Buffer.from(text, "utf16le"));
  expect(unmarked).toMatchObject({
    status: 1,
    lines: [],
    summary: expect.stringContaining("iconv -f UTF-16 -t UTF-8"),
  });
});

test("imports the addresses that the old system stored, and no two of them as one", async () => {
  const rows = [
    "email,name,password",
    `smith&co@p.example,A,${HASH}`,
    `jo\u0308rg@p-.example,A,${HASH}`,
    `bo@почта.рф,A,${HASH}`,
    `bo@xn--80a1acny.xn--p1ai,A,${HASH}`,
    `ann@почта.рф,A,${HASH}`,
    `ANN@ПОЧТА.РФ,A,${HASH}`,
    `"bo@p.example, ann@p.example",A,${HASH}`,
    `Bo <bo@p.example>,A,${HASH}`,
    `bo@p.example;,A,${HASH}`,
  ];
  const run = await importText("spelled.csv", rows.join("\n"));
  expect(run).toEqual({
    status: 0,
    lines: [
      "line 4: bo@почта.рф: same email address as line 5, in another spelling",
      "line 5: bo@xn--80a1acny.xn--p1ai: same email address as line 4, in another spelling",
      "line 7: ANN@ПОЧТА.РФ: same email address as line 6",
      "line 8: bo@p.example, ann@p.example: not an email address",
      "line 9: Bo <bo@p.example>: not an email address",
      "line 10: bo@p.example;: not an email address",
    ],
    summary: "9 rows: 3 stored, 0 already existed, 6 refused.",
  });
  expect(stored("j%@p-.example")).toMatchObject([{ email: "jörg@p-.example" }]);
  expect(stored("smith%@p.example")).toMatchObject([{ email: "smith&co@p.example" }]);
  expect(stored("%@xn--80a1acny.xn--p1ai")).toMatchObject([{ email: "ann@xn--80a1acny.xn--p1ai" }]);
  const again = await importText("spelled.csv", rows.join("\n"));
  expect(again.summary).toBe("9 rows: 0 stored, 3 already existed, 6 refused.");
});

const COMMAND = "tools/data/import-legacy.ts";

function written(name: string, content: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

async function importText(name: string, content: string | Buffer, ...options: string[]) {
  return told(await runCommand(COMMAND, [written(name, content), "--state-dir", folder, ...options]));
}

/** `lines` are the refusals of a run, `summary` the line that counts or stops. */
function told({ status, stdout, stderr }: CommandResult) {
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { status, lines, summary: stderr.split("\n").find((line) => /^(\d+ rows|Stopped):/.test(line)) ?? stderr };
}

function stored(like = "%"): object[] {
  return storedRows(
    folder,
    `select users.email, full_name as name, mysql_password_hash as hash from users
     join profiles on profiles.user_id = users.id join temp_mysql_passwords on temp_mysql_passwords.user_id = users.id
     where users.email like ? order by users.email`,
    like,
  );
}
