import type { TestProject } from "vitest/node";
import { build } from "#tools/run/build.ts";

/** Builds the product if a source is newer than the last build, because the tests on workerd serve the built pages. */
export default async function setup(project: TestProject): Promise<void> {
  const { root } = project.vitest.vite.config;
  await build(root);
  project.onTestsRerun(async () => {
    await build(root);
  });
}
