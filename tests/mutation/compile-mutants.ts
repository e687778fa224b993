import { relative } from "node:path";
import type { Plugin } from "vite";
import { mutate } from "./mutants.ts";
import { isTarget } from "./targets.ts";

const HASHING = "app/accounts/password/password-hash.server.ts";
const COST = "{ N: 2 ** 14, r: 8, p: 5 }";
/** A test may hash a dozen passwords, at a quarter of a second each, and would not end in a mutant's time. */
const TEST_COST = "{ N: 2 ** 5, r: 8, p: 1 }";

/** Compiles the mutants of all targets into them, and makes hashing cheap. */
export function compileMutants(root: string): Plugin {
  return {
    name: "compile-mutants",
    enforce: "pre",
    transform(code, id) {
      const path = relative(root, id.split("?")[0] ?? "");
      if (!isTarget(path) || id.includes("?")) return undefined;
      const source = path === HASHING ? code.replace(COST, TEST_COST) : code;
      return { code: mutate(path, source).code, map: null };
    },
  };
}
