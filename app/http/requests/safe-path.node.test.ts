import { expect, test } from "vitest";
import { pathOf, safePath } from "./safe-path.ts";

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

test("shortens a path that is too long for a header", () => {
  const site = "https://growline.example";
  expect(pathOf(`${site}/admin/orders?q=1`)).toBe("/admin/orders?q=1");
  expect(pathOf(`${site}/admin/orders?q=${"x".repeat(1000)}`)).toBe("/admin/orders");
  expect(pathOf(`${site}/${"x".repeat(1000)}?q=1`)).toBe("/");
});
