import { join } from "node:path";
import { defineConfig, mergeConfig, type UserConfigFnObject } from "vite";
import product from "../../vite.config.ts";
import { compileMutants } from "./compile-mutants.ts";

/** Builds the pages with all mutants compiled in. */
export default defineConfig((env) =>
  mergeConfig((product as UserConfigFnObject)(env), { plugins: [compileMutants(join(import.meta.dirname, "../.."))] }),
);
