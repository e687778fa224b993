import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/** The folders whose mistakes cost a person money, messages or an account. */
export const TARGETS = [
  "app/orders/rules",
  "app/orders/wallet",
  "app/orders/fulfillment",
  "workers/support",
  "app/support/room",
  "app/gmail",
  "app/accounts",
];

/** Returns the files to mutate, without components and hooks: those have browser tests. */
export function targetFiles(root: string): string[] {
  return TARGETS.flatMap((folder) => sources(root, folder)).sort();
}

function sources(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !/(^|\/)use-[^/]*$/.test(name))
    .map((name) => relative(root, join(root, folder, name)));
}

export function isTarget(path: string): boolean {
  return (
    TARGETS.some((folder) => path.startsWith(`${folder}/`)) &&
    /(?<!\.test)\.ts$/.test(path) &&
    !/\/use-[^/]*$/.test(path)
  );
}
