import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

/** Where a file belongs; the arrows say which of these may import which. */
export type Part = "workers" | "pages" | "compose" | "domain" | "http" | "components" | "db" | "product" | "outside";

const DOMAINS = ["accounts", "orders", "support", "mail", "uploads", "native"];
/** The only file that composes all domains. */
const COMPOSER = "app/delete-account.server.ts";

const MAY_IMPORT: Record<Part, Part[]> = {
  workers: ["workers", "compose", "domain", "http", "db", "product"],
  pages: ["pages", "compose", "domain", "http", "components", "product"],
  compose: ["domain", "http", "db", "product"],
  domain: ["domain", "http", "components", "db", "product"],
  http: ["http", "product"],
  components: ["components", "product"],
  db: ["db", "product"],
  product: [],
  outside: [],
};

/** Type declarations of the load context, which name the database for everyone. */
const TYPES_ONLY = "app/http/load-context.ts";

export function partOf(path: string): Part {
  if (path.startsWith("workers/")) return "workers";
  if (path === "app/product.ts") return "product";
  if (path === COMPOSER) return "compose";
  const folder = /^app\/([^/]+)\//.exec(path)?.[1];
  if (folder === undefined) return path.startsWith("app/") ? "pages" : "outside";
  if (folder === "routes") return "pages";
  if (folder === "http" || folder === "components" || folder === "db") return folder;
  return DOMAINS.includes(folder) ? "domain" : "pages";
}

/** The imports that break an arrow, as sentences. `files`: path from the root → source. */
export function brokenArrows(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([path, source]) =>
    ts
      .preProcessFile(source)
      .importedFiles.map(({ fileName }) => resolve(path, fileName))
      .filter((target): target is string => target !== null)
      .filter((target) => !isAllowed(path, target))
      .map((target) => `${path} imports ${target}`),
  );
}

function isAllowed(from: string, to: string): boolean {
  const [source, target] = [partOf(from), partOf(to)];
  if (target === "outside" || from === TYPES_ONLY) return true;
  if (source === "domain" && target === "domain") return domainOf(from) === domainOf(to);
  return MAY_IMPORT[source].includes(target);
}

function domainOf(path: string): string {
  return path.split("/")[1] ?? "";
}

function resolve(from: string, specifier: string): string | null {
  if (specifier.startsWith("#app/")) return `app/${specifier.slice("#app/".length)}`;
  if (specifier.startsWith("#workers/")) return `workers/${specifier.slice("#workers/".length)}`;
  return specifier.startsWith(".") ? join(dirname(from), specifier) : null;
}

export function sourceFiles(root: string): Record<string, string> {
  const paths = ["app", "workers"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(root, folder, name)),
  );
  const sources = paths.filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));
  return Object.fromEntries(sources.map((path) => [relative(root, path), readFileSync(path, "utf8")]));
}
