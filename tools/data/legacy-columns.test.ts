import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { chooseColumns, rowUnder } from "./legacy-columns.ts";
import { type ExportRow, readExport } from "./legacy-export.ts";

const folder = mkdtempSync(join(tmpdir(), "growline-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("reads CSV with quotes, line numbers and the usual delimiters", async () => {
  const rows = await read("a.csv", '\uFEFFid;Email;password\n1;a@b.example;"x;y"\n\n2;"c ""d""\nz";h\n');
  expect(rows).toMatchObject([
    { line: 2, columns: { email: "a@b.example", password: "x;y" } },
    { line: 5, columns: { email: 'c "d"\nz', password: "h" } },
  ]);
  expect(rows.at(-1)?.done).toBe(1);
});

test("reads JSON as a list, as lines and in phpMyAdmin's format", async () => {
  const list = '[{"Email":"a@b.example","id":7,"gone":null}]';
  const lines = '{"email":"a@b.example","id":7}\n{"email":"c@d.example","id":8}\n';
  const phpMyAdmin = `[{"type":"header"},{"type":"database","name":"x"},{"type":"table","name":"users","data":${list}}]`;
  expect(await read("a.json", list)).toEqual([{ line: 1, done: 1, columns: { email: "a@b.example", id: "7" } }]);
  expect((await read("a.jsonl", lines)).map((row) => row.columns.email)).toEqual(["a@b.example", "c@d.example"]);
  expect(await read("b.json", phpMyAdmin)).toEqual(await read("a.json", list));
});

test("chooses columns by their usual names or by --map", () => {
  const usual = chooseColumns(["id", "user_email", "user_pass", "name"], []);
  expect(rowUnder(usual, { user_email: "a", user_pass: "b", name: "c" })).toEqual({
    email: "a",
    hash: "b",
    fullName: "c",
    createdAt: undefined,
  });
  const mapped = chooseColumns(["email", "login", "PW".toLowerCase()], ["hash=PW", "email=login"]);
  expect(rowUnder(mapped, { email: "no", login: "a", pw: "b" })).toMatchObject({ email: "a", hash: "b" });
});

test("names a missing or unknown column in the error", () => {
  expect(() => chooseColumns(["email", "secret"], [])).toThrow("--map hash=…");
  expect(() => chooseColumns(["email"], ["hash=pw"])).toThrow('no column "pw"');
  expect(() => chooseColumns(["email"], ["role=pw"])).toThrow('not "role"');
});

async function read(name: string, content: string): Promise<ExportRow[]> {
  const file = join(folder, name);
  writeFileSync(file, content);
  const rows: ExportRow[] = [];
  for await (const row of readExport(file)) rows.push(row);
  return rows;
}
