import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { completed, type Lock, missingOptionals, platformOf } from "./complete-lock.ts";

test("lists every platform's packages in the lockfile, so that npm ci works everywhere", () => {
  const lock = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package-lock.json"), "utf8")) as Lock;
  expect(missingOptionals(lock)).toEqual([]);
});

test("adds missing packages without an integrity", () => {
  const lock: Lock = {
    packages: {
      "node_modules/a": {
        version: "1.0.0",
        optionalDependencies: { "@a/linux-x64": "1.0.0", "@a/darwin-arm64": "1.0.0" },
      },
      "node_modules/@a/linux-x64": { version: "1.0.0", optional: true },
      "node_modules/b/node_modules/a": { version: "2.0.0", optionalDependencies: { "@a/darwin-arm64": "2.0.0" } },
    },
  };
  const { packages } = completed(lock);
  expect(packages["node_modules/a/node_modules/@a/darwin-arm64"]).toMatchObject({ version: "1.0.0", os: ["darwin"] });
  expect(packages["node_modules/b/node_modules/a/node_modules/@a/darwin-arm64"]).toMatchObject({ version: "2.0.0" });
  expect(missingOptionals(completed(lock))).toEqual([]);
});

test("derives a package's platform from its name", () => {
  expect(platformOf("@cloudflare/workerd-darwin-64")).toEqual({ cpu: ["x64"], os: ["darwin"] });
  expect(platformOf("@img/sharp-linuxmusl-arm64")).toEqual({ cpu: ["arm64"], libc: ["musl"], os: ["linux"] });
  expect(platformOf("@rollup/rollup-win32-x64-msvc")).toEqual({ cpu: ["x64"], os: ["win32"] });
  expect(platformOf("fsevents")).toEqual({ os: ["darwin"] });
});
