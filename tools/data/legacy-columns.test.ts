import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Quotes } from "./csv-records.ts";
import { chooseColumns, rowUnder } from "./legacy-columns.ts";
import { type ExportRow, readExport } from "./legacy-export.ts";

const folder = mkdtempSync(join(tmpdir(), "growline-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("reads CSV with quotes, line numbers and the usual delimiters", () => {
  const rows = read("a.csv", '\uFEFFid;Email;password\n1;a@b.example;"x;y"\n\n2;"c ""d""\nz";h\n');
  expect(rows).toMatchObject([
    { line: 2, columns: { email: "a@b.example", password: "x;y" } },
    { line: 4, columns: { email: 'c "d"\nz', password: "h" } },
  ]);
});

test("reads JSON as a list, as lines and in phpMyAdmin's format", () => {
  const list = '[{"Email":"a@b.example","id":7,"gone":null}]';
  const lines = '{"email":"a@b.example","id":7}\n{"email":"c@d.example","id":8}\n';
  const phpMyAdmin = `[{"type":"header"},{"type":"database","name":"x"},{"type":"table","name":"users","data":${list}}]`;
  expect(read("a.json", list)).toEqual([{ line: 1, columns: { email: "a@b.example", id: "7", gone: "" } }]);
  expect(read("a.jsonl", lines).map((row) => "columns" in row && row.columns.email)).toEqual([
    "a@b.example",
    "c@d.example",
  ]);
  expect(read("b.json", phpMyAdmin)).toEqual(read("a.json", list));
});

test("reads the rows of an object that names their table, and refuses two tables", () => {
  const rows = '[{"email":"a@b.example","name":"A"}]';
  const found = read("list.json", rows);
  expect(read("a.json", `{"users": ${rows}}`)).toEqual(found);
  expect(read("b.json", `{\n"table": "users",\n"rows": ${rows}}`)).toEqual(found);
  expect(read("c.json", '{"email":"a@b.example","name":"A"}')).toEqual(found);
  expect(() => read("d.json", `{"users": ${rows}, "staff": ${rows}}`)).toThrow("more than one table");
});

test("refuses JSON that is cut as a whole, not line by line", () => {
  expect(() => read("a.json", '{"users": [\n{\n\t"name": "A"\n}, {\n\t"na')).toThrow("the file is not whole JSON");
});

test("reads a tab that Adminer writes into JSON", () => {
  expect(read("a.json", '{"users": [\n{\n\t"name": "A\tB \\"\t\\""\n}\n]}')).toEqual([
    { line: 1, columns: { name: 'A\tB "\t"' } },
  ]);
});

test("reads lines that end as on a Mac, and the line breaks in their cells", () => {
  const rows = read("a.csv", 'email,name\ra@b.example,"A\nB"\rc@d.example,"C\rD"\r\re@f.example,E');
  expect(rows).toEqual([
    { line: 2, columns: { email: "a@b.example", name: "A\nB" } },
    { line: 3, columns: { email: "c@d.example", name: "C\rD" } },
    { line: 6, columns: { email: "e@f.example", name: "E" } },
  ]);
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

test("refuses two columns that may be the password or the email address, until one is chosen", () => {
  const names = ["email", "password", "mysql_password_hash"];
  expect(() => chooseColumns(names, [])).toThrow('"password" and "mysql_password_hash" may both be the hash');
  expect(chooseColumns(names, ["hash=mysql_password_hash"]).get("hash")).toBe("mysql_password_hash");
  expect(() => chooseColumns(["email", "user_email", "hash"], [])).toThrow("--map email=…");
});

test("refuses a JSON row that names a column twice", () => {
  expect(read("twice.json", '[{"Email":"a@b.example","email":"c@d.example"}]')).toMatchObject([
    { line: 1, why: 'names the column "email" twice' },
  ]);
});

test("names a missing or unknown column in the error", () => {
  expect(() => chooseColumns(["email", "secret"], [])).toThrow("--map hash=…");
  expect(() => chooseColumns(["email"], ["hash=pw"])).toThrow('no column "pw"');
  expect(() => chooseColumns(["email"], ["role=pw"])).toThrow('not "role"');
});

test("reads both of phpMyAdmin's ways to write quotes, and MySQL's nulls", () => {
  const names = (content: string, quotes?: Quotes) =>
    read("q.csv", content, quotes).map((row) => ("columns" in row ? row.columns.name : row.why));
  // As exported with "Columns escaped with" set to a quote, and to a backslash.
  expect(names('"id","name"\n"1","Bob ""Bo"" Ray"\n"2","back\\\\slash\\"\n"3",NULL\n')).toEqual([
    'Bob "Bo" Ray',
    "back\\\\slash\\",
    "",
  ]);
  expect(names('"id";"name"\n"1";"Bob \\"Bo\\" Ray"\n"2";"back\\\\slash\\\\"\n"3";\\N\n')).toEqual([
    'Bob "Bo" Ray',
    "back\\slash\\",
    "",
  ]);
  expect(names('"id","name"\n"1","a\nb, c"\n')).toEqual(["a\nb, c"]);
  // Both ways find a stray quote, but in different rows.
  const both = '"id","name"\n"1","a\\"\n"2","\\"b"\n';
  expect(() => names(both)).toThrow("Add --quotes");
  expect(names(both, "backslash")).toEqual(["a quote ends in the middle of a cell", '"b']);
});

test("reads one delimiter, from the header", () => {
  expect(read("d.csv", "id,name\n1,a;b\tc\n")).toMatchObject([{ columns: { name: "a;b\tc" } }]);
  expect(read("d.csv", "id\tname\n1\ta;b,c\n")).toMatchObject([{ columns: { name: "a;b,c" } }]);
  expect(() => read("d.csv", "id;name,email\n")).toThrow("more than one of comma, semicolon, tab and |");
  expect(() => read("d.csv", "email,Email\n")).toThrow('names the column "email" twice');
});

test("says of a script of SQL Server Management Studio, which is UTF-16, that it is a dump", () => {
  const script = "\ufeffUSE [panel]\r\nGO\r\nINSERT [dbo].[users] ([id], [email]) VALUES (1, N'ada@old.example')\r\n";
  const file = join(folder, "script.sql");
  writeFileSync(file, script, "utf16le");
  expect(() => readExport(file)).toThrow("the file is a dump in SQL");
});

test("asks what backslashes mean where a person may have typed them", () => {
  const tabbed = "id\tname\n1\tC:\\new\n";
  expect(() => read("t.tsv", tabbed)).toThrow("--quotes escapes");
  const names = (quotes: Quotes) => read("t.tsv", tabbed, quotes).map((row) => "columns" in row && row.columns.name);
  expect(names("escapes")).toEqual(["C:\new"]);
  expect(names("none")).toEqual(["C:\\new"]);
  // No client writes one before a U.
  expect(read("t.tsv", "id\tname\n1\tC:\\Users\n")).toMatchObject([{ columns: { name: "C:\\Users" } }]);
});

test("takes no quoted file for one without quotes, whatever its names hold", () => {
  const forged = 'att@a.example\t"x\th1\nvictim@a.example\tVic"\th2\n';
  const rows = read("q.tsv", `email\tname\tpassword\n${forged}`);
  expect(rows).toMatchObject([{ line: 2, why: "a quote may hold the row at line 3", broken: true }]);
  const spaced = 'att@a.example, "x, h1\nvictim@a.example, Vic" , h2\n';
  expect(read("q.csv", `email,name,password\n${spaced}`).every((row) => "why" in row)).toBe(true);
  const doubled = 'att@a.example\t"x ""y"" z\th1\nvictim@a.example\tVic ""V"" \t"\th2\n';
  expect(() => read("q.tsv", `email\tname\tpassword\n${doubled}`)).toThrow("two ways");
});

test("reads a separator line of Excel, which counts as a line", () => {
  expect(read("s.csv", "\ufeffsep=;\r\nid;name\r\n1;a,b\r\n")).toEqual([
    { line: 3, columns: { id: "1", name: "a,b" } },
  ]);
});

test("reads another encoding where it is named, and refuses what it has not", () => {
  const file = join(folder, "e.csv");
  writeFileSync(file, Buffer.from([...Buffer.from("id,name\n1,"), 0xa3, 0x75, 0x6b, 0x0a]));
  expect(readExport(file).rows).toEqual([{ line: 2, why: "not UTF-8 text", broken: false }]);
  expect(readExport(file, { encoding: "iso-8859-2" }).rows).toMatchObject([{ columns: { name: "\u0141uk" } }]);
  expect(() => readExport(file, { encoding: "utf-8" })).toThrow("not utf-8 text");
  expect(() => readExport(file, { encoding: "latin-17" })).toThrow("doesn't know");
});

test("refuses a stray quote with its line, and reads the rows after it", () => {
  const rows = ['1,"a"b', '2,a"b', "3,c", '4,"d', "5,e", "6,f,", "7"].join("\n");
  expect(read("s.csv", `id,name\n${rows}`, "doubled")).toEqual([
    { line: 2, why: "a quote ends in the middle of a cell", broken: true },
    { line: 3, why: "a quote stands in the middle of a cell", broken: false },
    { line: 4, columns: { id: "3", name: "c" } },
    { line: 5, why: "a quote is never closed", broken: true },
    { line: 6, columns: { id: "5", name: "e" } },
    { line: 7, why: "3 cells instead of 2", broken: false },
    { line: 8, why: "1 cells instead of 2", broken: true },
  ]);
});

test("refuses JSON lines one by one", () => {
  const lines = Buffer.concat([
    Buffer.from('{"a":"\u00e9"}\n{"a":"'),
    Buffer.from([0xe9]),
    Buffer.from('"}\n{\n[1]\n{"a":1}'),
  ]);
  expect(read("a.jsonl", lines)).toEqual([
    { line: 1, columns: { a: "\u00e9" } },
    { line: 2, why: "not UTF-8 text", broken: false },
    { line: 3, why: "not JSON", broken: false },
    { line: 4, why: "not an object of texts and numbers", broken: false },
    { line: 5, columns: { a: "1" } },
  ]);
});

function read(name: string, content: string | Buffer, quotes?: Quotes): ExportRow[] {
  const file = join(folder, name);
  writeFileSync(file, content);
  return readExport(file, { quotes }).rows;
}
