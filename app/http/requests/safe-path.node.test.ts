import { expect, test } from "vitest";
import { safePath } from "./safe-path.ts";

test("keeps a path on this site with its query and fragment", () => {
  expect(safePath("/dashboard?service=3#new", "/")).toBe("/dashboard?service=3#new");
});

test("falls back for anything that a browser could read as another site", () => {
  const hostile = [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    // Become //evil.example once the dots are resolved.
    "/.//evil.example",
    "/x/..//evil.example",
    "/%2e//evil.example",
    "/x/%2E%2e//evil.example",
    "/./\\evil.example",
  ];
  for (const value of [...hostile, "dashboard", "", "/\n/evil.example", null, undefined]) {
    expect(safePath(value, "/dashboard"), JSON.stringify(value)).toBe("/dashboard");
  }
});
