import { join } from "node:path";
import { expect, test } from "vitest";
import { providersPage } from "#tests/panels/providers-page.ts";

/** `vitest run --update` on this file writes the page. */
test("documents how answers of providers are read as the code and the corpus say", async () => {
  const path = join(import.meta.dirname, "..", "..", "docs", "providers.md");
  await expect(providersPage()).toMatchFileSnapshot(path);
});
