import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** How many imports away from its module a route's words and schemas are looked for. */
const MAX_DISTANCE = 4;
const IMPORTED = /(?:from|import\() ?"((?:#app\/|\.{1,2}\/)[^"]+)"/g;
/** Fields and query parameters, as forms name them and handlers read them. */
const NAME_PATTERNS = [
  /\bname="([\w-]+)"/g,
  /\bformText\(\s*[\w.]+,\s*"([\w-]+)"/g,
  /\b(?:form|searchParams|query|data|params)\.(?:get|getAll|has)\(\s*"([\w-]+)"/g,
  /\btext\("([\w-]+)"\)/g,
];
const VALUE_PATTERNS = [
  /\bintent="([\w-]+)"/g,
  /\bcase "([\w-]+)":/g,
  /[!=]== "([\w-]+)"/g,
  /\bvalue="([\w-]+)"/g,
  /\b(?:intent|value|action): "([\w-]+)"/g,
];

/** Words in the sources of a route: names and values that its forms use, and its modules, the nearest first. */
export type RouteWords = { names: string[]; values: string[]; files: string[] };

export function routeWords(root: string, module: string): RouteWords {
  const files = filesFrom(root, module);
  const sources = files.map((file) => readFileSync(join(root, file), "utf8"));
  return { names: namesIn(sources), values: wordsIn(sources, VALUE_PATTERNS), files };
}

/** Returns the names of the fields and query parameters that these sources read or show. */
export function namesIn(sources: string[]): string[] {
  return wordsIn(sources, NAME_PATTERNS);
}

function wordsIn(sources: string[], patterns: RegExp[]): string[] {
  const found = sources.flatMap((source) =>
    patterns.flatMap((pattern) => [...source.matchAll(pattern)].map(([, word = ""]) => word)),
  );
  return [...new Set(found)];
}

function filesFrom(root: string, module: string): string[] {
  const found = new Set([module]);
  let outermost = [module];
  for (let distance = 0; distance < MAX_DISTANCE; distance++) {
    const next = outermost.flatMap((file) => importsOf(root, file)).filter((file) => !found.has(file));
    for (const file of next) found.add(file);
    outermost = [...new Set(next)];
  }
  return [...found];
}

function importsOf(root: string, file: string): string[] {
  const source = readFileSync(join(root, file), "utf8");
  return [...source.matchAll(IMPORTED)]
    .map(([, path = ""]) =>
      path.startsWith("#app/") ? path.slice(1) : relative(root, join(root, dirname(file), path)),
    )
    .filter((path) => /\.tsx?$/.test(path) && existsSync(join(root, path)));
}
