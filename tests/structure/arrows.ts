import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";

/** Where a file belongs. `MAY_IMPORT` says which parts may import which. */
export type Part =
  | "workers"
  | "pages"
  | "console"
  | "compose"
  | "domain"
  | "email"
  | "push"
  | "http"
  | "components"
  | "settings"
  | "db"
  | "crypto"
  | "product"
  | "outside";

const MAY_IMPORT: Record<Part, Part[]> = {
  workers: ["workers", "compose", "domain", "email", "push", "http", "settings", "db", "crypto", "product"],
  pages: ["pages", "console", "compose", "domain", "email", "push", "http", "components", "product"],
  console: [
    "console",
    "compose",
    "domain",
    "email",
    "push",
    "http",
    "components",
    "settings",
    "db",
    "crypto",
    "product",
  ],
  compose: ["domain", "email", "push", "http", "components", "db", "product"],
  domain: ["domain", "email", "push", "http", "components", "settings", "db", "crypto", "product"],
  email: ["email", "http", "db", "crypto", "product"],
  push: ["push", "http", "components", "db", "crypto", "product"],
  http: ["http", "crypto", "product"],
  components: ["components", "product"],
  settings: ["settings", "db", "product"],
  db: ["db", "crypto", "product"],
  crypto: ["crypto"],
  product: ["product"],
  outside: [],
};

/**
 * The folders inside each domain, lowest first: a file may import its own folder and those listed before it.
 * Files directly in the domain compose its folders and may import all of them.
 */
const FOLDERS: Record<string, string[]> = {
  accounts: [
    "visit",
    "forms",
    "tokens",
    "emails",
    "events",
    "session",
    "devices",
    "password",
    "factors",
    "recovery",
    "legacy",
    "step-up",
    "email-address",
    "sign-in",
    "profile",
    "staff",
    "deletion",
  ],
  backup: ["format", "run", "restore"],
  gmail: ["tokens", "api", "sync", "mailbox", "connect", "page"],
  landing: [],
  "site-settings": [],
  monitoring: ["requests", "jobs", "health", "alerts"],
  native: ["network", "shell", "gate", "onboarding"],
  orders: [
    "rules",
    "services",
    "prices",
    "delivery",
    "sales",
    "wallet",
    "reports",
    "catalog",
    "providers",
    "webhooks",
    "top-up",
    "fulfillment",
    "list",
    "placing",
    "mass",
    "api",
  ],
  support: ["protocol", "team", "email", "room", "inbox", "client", "thread", "widget", "console"],
  uploads: [],
  components: ["storage", "hydration", "formats", "toast", "ui", "forms", "page", "table", "navigation"],
};

const DOMAINS = Object.keys(FOLDERS).filter((folder) => folder !== "components");
const PRODUCT = [
  "app/cookie-names.ts",
  "app/cut-text.ts",
  "app/email-address.ts",
  "app/field-words.ts",
  "app/own-value.ts",
  "app/product.ts",
  "app/public-pages.ts",
  "app/time.ts",
];
/** Files that compose all domains, or that the console and all pages use. */
const COMPOSE = ["app/delete-account.server.ts", "app/form-response.server.ts"];

export function partOf(path: string): Part {
  if (path.startsWith("workers/")) return "workers";
  if (PRODUCT.includes(path) || path.startsWith("app/words/")) return "product";
  if (COMPOSE.includes(path)) return "compose";
  if (path.startsWith("app/console/")) return "console";
  const folder = /^app\/([^/]+)\//.exec(path)?.[1];
  if (folder === undefined) return path.startsWith("app/") ? "pages" : "outside";
  if (isShared(folder)) return folder;
  return DOMAINS.includes(folder) ? "domain" : "pages";
}

const SHARED = ["email", "push", "http", "components", "settings", "db", "crypto"] as const;

function isShared(folder: string): folder is (typeof SHARED)[number] {
  return SHARED.some((one) => one === folder);
}

/** Returns the imports that break an arrow, as sentences. `files` maps paths from the root to sources. */
export function brokenArrows(files: Record<string, string>): string[] {
  return Object.entries(files).flatMap(([path, source]) =>
    importsOf(path, source)
      .filter((target) => !isAllowed(path, target))
      .map((target) => `${path} imports ${target}`),
  );
}

function isAllowed(from: string, to: string): boolean {
  const [source, target] = [partOf(from), partOf(to)];
  if (target === "outside") return true;
  if (source === "domain" && target === "domain" && domainOf(from) !== domainOf(to)) return false;
  return MAY_IMPORT[source].includes(target) && isDownward(from, to);
}

/** Returns whether an import inside one domain goes to its own folder or a lower one. True between domains. */
function isDownward(from: string, to: string): boolean {
  // The workers' folders are named like domains.
  const folders = from.startsWith("app/") ? FOLDERS[domainOf(from)] : undefined;
  if (!folders || domainOf(from) !== domainOf(to)) return true;
  const level = (path: string) => {
    const [, , folder = "", file] = path.split("/");
    return file === undefined ? folders.length : folders.indexOf(folder);
  };
  return level(to) >= 0 && level(to) <= level(from);
}

/** Two neighbors in one folder: subfolders of it, or `.` for the files directly in it. */
type FolderImport = { parent: string; from: string; to: string };

/**
 * Returns the circles between neighboring folders at any depth below `app/<domain>/` and `workers/`, as sentences.
 * A folder's own files count as one neighbor of its subfolders: they may import those or be imported, not both.
 */
export function folderCircles(files: Record<string, string>): string[] {
  const imports = Object.entries(files).flatMap(([path, source]) =>
    importsOf(path, source).flatMap((target) => folderImport(path, target) ?? []),
  );
  const parents = [...new Set(imports.map(({ parent }) => parent))].sort();
  return parents.flatMap((parent) => {
    const below = imports.filter((one) => one.parent === parent);
    const inCircle = [...new Set(below.map(({ from }) => from))].filter((name) => reachable(name, below).has(name));
    return inCircle.length > 0 ? [`${parent}: ${inCircle.sort().join(", ")}`] : [];
  });
}

/** Returns null for an import inside one folder, and for one between domains, whose direction `MAY_IMPORT` holds. */
function folderImport(path: string, target: string): FolderImport | null {
  const [from, to] = [path.split("/"), target.split("/")];
  const depth = from.findIndex((name, index) => name !== to[index]);
  if (depth < (from[0] === "workers" ? 1 : 2)) return null;
  const neighbor = (names: string[]) => (names.length === depth + 1 ? "." : (names[depth] ?? "."));
  if (neighbor(from) === neighbor(to)) return null;
  return { parent: from.slice(0, depth).join("/"), from: neighbor(from), to: neighbor(to) };
}

function reachable(start: string, imports: FolderImport[], seen = new Set<string>()): Set<string> {
  for (const { from, to } of imports) {
    if (from !== start || seen.has(to)) continue;
    seen.add(to);
    reachable(to, imports, seen);
  }
  return seen;
}

/** Returns the files that import each other, directly or around, and those between two such circles. */
export function fileCircles(files: Record<string, string>): string[] {
  const left = new Map(Object.entries(files).map(([path, source]) => [path, importsOf(path, source)]));
  for (let before = 0; before !== left.size; ) {
    before = left.size;
    for (const [path, targets] of left) if (!targets.some((target) => left.has(target))) left.delete(path);
    const imported = new Set([...left.values()].flat());
    for (const path of left.keys()) if (!imported.has(path)) left.delete(path);
  }
  return [...left.keys()].sort();
}

/** Returns the files of ours that a file imports, types included. */
function importsOf(path: string, source: string): string[] {
  return ts
    .preProcessFile(source)
    .importedFiles.map(({ fileName }) => resolve(path, fileName))
    .filter((target): target is string => target !== null);
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
  return Object.fromEntries(sources.map((path) => [relative(root, path), textOf(path)]));
}

const texts = new Map<string, { changedAt: number; text: string }>();

/** Reads a file, once for all that look at the whole tree. */
function textOf(path: string): string {
  const changedAt = statSync(path).mtimeMs;
  const known = texts.get(path);
  if (known?.changedAt === changedAt) return known.text;
  const text = readFileSync(path, "utf8");
  texts.set(path, { changedAt, text });
  return text;
}
