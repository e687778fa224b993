import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { missingLanguages } from "./debian-packages.ts";

const folder = mkdtempSync(join(tmpdir(), "growline-path-"));

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

test("names the packages of the languages that are not in PATH", () => {
  vi.stubEnv("PATH", folder);
  expect(missingLanguages()).toEqual(["php-cli", "php-curl", "golang-go", "python3"]);
  // One without the extension of curl.
  writeFileSync(join(folder, "php"), '#!/bin/sh\n[ "$1" = -v ]', { mode: 0o755 });
  expect(missingLanguages()).toEqual(["php-curl", "golang-go", "python3"]);
  writeFileSync(join(folder, "php"), "#!/bin/sh", { mode: 0o755 });
  expect(missingLanguages()).toEqual(["golang-go", "python3"]);
});
