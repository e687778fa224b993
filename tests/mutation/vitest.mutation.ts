import { join } from "node:path";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import config from "../../vitest.config.ts";
import { compileMutants } from "./compile-mutants.ts";

const root = join(import.meta.dirname, "../..");
const [workerd] = (config.test?.projects ?? []) as TestProjectInlineConfiguration[];

/** The tests on workerd with all mutants compiled in, and the pure ones, which run there as well as on Node. */
export default defineConfig({
  root,
  // Its own: runs of vitest in the tree that this is a copy of would replace the bundled packages under it.
  cacheDir: join(root, ".vite"),
  plugins: [compileMutants(root), ...(workerd?.plugins ?? [])],
  test: {
    ...workerd?.test,
    name: "workerd",
    onConsoleLog: () => false,
    include: [...(workerd?.test?.include ?? []), "app/**/*.node.test.ts"],
    exclude: ["**/node_modules/**"],
    // `mutate.ts` has built the pages, with the mutants in them.
    globalSetup: ["./tests/workerd/start-stand-ins.ts"],
    runner: "./tests/mutation/mutant-runner.ts",
    provide: { mutationJobs: process.env.MUTATION_JOBS ?? "" },
  },
});
