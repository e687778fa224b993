import { readFileSync } from "node:fs";
import { join } from "node:path";
import { mutate } from "./mutants.ts";
import { hashOf, type MutationState, type Status } from "./mutation-state.ts";
import type { Sample } from "./sample.ts";
import { TARGETS } from "./targets.ts";

type Row = { name: string } & Record<Status | "mutants" | "not run", number>;

/** Returns the results per file and per target as a table. Results of another version of a file don't count. */
export function report(root: string, state: MutationState, files: string[], sample: Sample): string {
  const rows = files.map((file) => rowOf(root, state, file, sample)).filter(({ mutants }) => mutants > 0);
  const totals = TARGETS.map((target) =>
    totalOf(
      `**${target}**`,
      rows.filter(({ name }) => name.startsWith(`${target}/`)),
    ),
  );
  const head =
    "| file | mutants | killed | timed out | survived | no coverage | not run | killed % |\n| --- | --: | --: | --: | --: | --: | --: | --: |";
  return [head, ...[...rows, ...totals.filter(({ mutants }) => mutants > 0)].map(line)].join("\n");
}

/** Lists the mutants that no test killed. */
export function survivors(root: string, state: MutationState, files: string[], sample: Sample): string {
  return files
    .flatMap((file) => {
      const known = resultsOf(root, state, file);
      return mutantsOf(root, file, sample)
        .filter(({ index }) => known[index]?.status === "survived" || known[index]?.status === "no coverage")
        .map(
          ({ index, line, before, after }) =>
            `${file}:${line} #${index} ${known[index]?.status}\n  - ${before.slice(0, 300)}\n  + ${after.slice(0, 300)}`,
        );
    })
    .join("\n");
}

function rowOf(root: string, state: MutationState, file: string, sample: Sample): Row {
  const known = resultsOf(root, state, file);
  const chosen = mutantsOf(root, file, sample);
  const results = chosen.flatMap(({ index }) => known[index] ?? []);
  const count = (status: Status) => results.filter((one) => one.status === status).length;
  const mutants = chosen.length;
  return {
    name: file,
    mutants,
    killed: count("killed"),
    "timed out": count("timed out"),
    survived: count("survived"),
    "no coverage": count("no coverage"),
    "not run": mutants - results.length,
  };
}

function totalOf(name: string, rows: Row[]): Row {
  const sum = (key: Exclude<keyof Row, "name">) => rows.reduce((total, row) => total + row[key], 0);
  return {
    name,
    mutants: sum("mutants"),
    killed: sum("killed"),
    "timed out": sum("timed out"),
    survived: sum("survived"),
    "no coverage": sum("no coverage"),
    "not run": sum("not run"),
  };
}

function line(row: Row): string {
  const run = row.mutants - row["not run"];
  const share = run > 0 ? `${(((row.killed + row["timed out"]) / run) * 100).toFixed(1)}` : "–";
  const { name, mutants, killed, survived } = row;
  return `| ${[name, mutants, killed, row["timed out"], survived, row["no coverage"], row["not run"], share].join(" | ")} |`;
}

function mutantsOf(root: string, file: string, sample: Sample) {
  return mutate(file, readFileSync(join(root, file), "utf8")).mutants.filter(({ index }) => sample(file, index));
}

function resultsOf(root: string, state: MutationState, file: string) {
  const known = state.results[file];
  return known && known.hash === hashOf(root, file) ? known.mutants : {};
}
