import { relative } from "node:path";
import type { Plugin } from "vite";
import { mutate } from "./mutants.ts";
import { isTarget } from "./targets.ts";

/** Compiles the mutants of all targets into them. */
export function compileMutants(root: string): Plugin {
  return {
    name: "compile-mutants",
    enforce: "pre",
    transform(code, id) {
      const path = relative(root, id.split("?")[0] ?? "");
      return isTarget(path) && !id.includes("?") ? { code: mutate(path, code).code, map: null } : undefined;
    },
  };
}
