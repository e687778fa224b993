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
  expect(missingLanguages()).toEqual(["php-cli", "golang-go"]);
  writeFileSync(join(folder, "php"), "");
  expect(missingLanguages()).toEqual(["golang-go"]);
});
