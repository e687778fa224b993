import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { afterEach, expect, test } from "vitest";
import { activate, recordReached, takeReached } from "./active-mutant.ts";
import { type Mutant, mutate } from "./mutants.ts";
import { sampleOf } from "./sample.ts";

afterEach(() => activate(null));

let loaded = 0;

/** Loads a source with its mutants. Each file is another one to them. */
async function load(source: string) {
  const file = `source-${loaded++}.ts`;
  const { code, mutants } = mutate(file, source);
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext };
  const { outputText } = ts.transpileModule(code, { compilerOptions: options });
  const module = await import(`data:text/javascript,${encodeURIComponent(outputText)}`);
  const use = ({ index, isStatic }: Mutant) => activate({ file, index, isStatic });
  return { module, mutants, use, file };
}

function changes(source: string): string[] {
  return mutate("source.ts", source).mutants.map(({ before, after }) => `${before} -> ${after}`);
}

test("leaves out one condition of a query at a time", () => {
  const source = `import { and, eq } from "drizzle-orm"; const rows = db.where(and(eq(t.id, id), eq(t.userId, user)));`;
  expect(changes(source)).toEqual([
    "and(eq(t.id, id), eq(t.userId, user)) -> and(undefined, eq(t.userId, user))",
    "and(eq(t.id, id), eq(t.userId, user)) -> and(eq(t.id, id), undefined)",
    "eq(t.id, id) -> __drizzle.ne(t.id, id)",
    "eq(t.userId, user) -> __drizzle.ne(t.userId, user)",
  ]);
});

test("changes operators in SQL, and no words in logs and types", () => {
  expect(changes("const due = sql`a < 1 and b is null`;")).toEqual([
    "sql`a < 1 and b is null` -> sql`a < 1 OR b is null`",
    "sql`a < 1 and b is null` -> sql`a <= 1 and b is null`",
    "sql`a < 1 and b is null` -> sql`a < 1 and b IS NOT NULL`",
  ]);
  expect(changes(`type Two = 2; log("info", "sent", { tries: 1 });`)).toEqual([]);
});

test("does what the source does while no mutant is active, and something else with each", async () => {
  const { module, mutants, use } = await load(`
    export function grade(points) {
      let text = "";
      if (points < 10) text = "low";
      else text = "high";
      return text;
    }`);
  const grades = () => [9, 10, 11].map((points) => module.grade(points)).join();
  expect(grades()).toBe("low,high,high");
  const byMutant = mutants.map((mutant) => {
    use(mutant);
    return `${mutant.before} -> ${mutant.after}: ${grades()}`;
  });
  activate(null);
  expect(byMutant).toContain("points < 10 -> points <= 10: low,low,high");
  expect(byMutant).toContain('text = "low"; -> : ,high,high');
  expect(byMutant.filter((line) => line.endsWith(": low,high,high"))).toEqual([]);
  expect(grades()).toBe("low,high,high");
});

test("computes a module's constants again for a mutant of one, and takes it back", async () => {
  const { module, mutants, use } = await load("export const DAY_MS = 24 * 60; export const WEEK_MS = DAY_MS * 7;");
  const day = mutants.find(({ before }) => before === "24 * 60");
  if (!day) throw new Error("no mutant of the day");
  use(day);
  expect([module.DAY_MS, module.WEEK_MS]).toEqual([2880, 20_160]);
  activate(null);
  expect([module.DAY_MS, module.WEEK_MS]).toEqual([1440, 10_080]);
});

test("mutates an optional chain as a whole", async () => {
  const { module, mutants, use } = await load("export function city(person) { return person?.home.city ?? 0; }");
  expect(module.city(undefined)).toBe(0);
  const plain = mutants.find(({ after }) => after === "person.home.city");
  if (!plain) throw new Error("no mutant of the chain");
  use(plain);
  expect(() => module.city(undefined)).toThrow(TypeError);
});

test("stops a mutant that loops without an end", async () => {
  const { module, mutants, use } = await load(
    "export function count(to) { let n = 0; for (;;) { if (n >= to) return n; n = n + 1; } }",
  );
  const stuck = mutants.find(({ before, after }) => before === "n + 1" && after === "n - 1");
  if (!stuck) throw new Error("no mutant of the step");
  use(stuck);
  expect(() => module.count(3)).toThrow("without an end");
});

test("records the mutants that are reached", async () => {
  const { module, mutants, file } = await load("export function half(n) { return n > 5 ? n / 2 : n * 2; }");
  recordReached();
  module.half(1);
  const reached = takeReached()[file]?.map((index) => mutants[index]?.before);
  expect(reached).toContain("n * 2");
  expect(reached).not.toContain("n / 2");
});

test("samples each fifth mutant, counted over all files", () => {
  const files = ["app/orders/rules/order-limits.ts", "app/orders/rules/lines.ts", "app/orders/rules/money-text.ts"];
  const root = join(import.meta.dirname, "../..");
  const all = files.flatMap((file) =>
    mutate(file, readFileSync(join(root, file), "utf8")).mutants.map(({ index }) => ({ file, index })),
  );
  const drawn = (every: number) => {
    const sample = sampleOf(root, files, every);
    return all.flatMap(({ file, index }, at) => (sample(file, index) ? [at] : []));
  };
  expect(drawn(1)).toEqual(all.map((_, at) => at));
  expect(drawn(5)).toEqual(all.map((_, at) => at).filter((at) => at % 5 === 0));
});
