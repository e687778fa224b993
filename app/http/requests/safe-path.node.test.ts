import { expect, test } from "vitest";
import { ownPath, pathOf, safePath } from "./safe-path.ts";

test("keeps a path on this site with its query and fragment", () => {
  expect(safePath("/dashboard?service=3#new", "/")).toBe("/dashboard?service=3#new");
});

test("returns the path as a browser will read it, not as it was written", () => {
  expect(safePath("/a/../dashboard", "/")).toBe("/dashboard");
  expect(safePath("/dash\tboard", "/")).toBe("/dashboard");
  expect(safePath("/a\\b", "/")).toBe("/a/b");
  expect(safePath("/x?q=\u0000<", "/")).toBe("/x?q=%00%3C");
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

test("leads back to no path that would name a host by itself", () => {
  const site = "https://growline.example";
  expect(pathOf(`${site}//evil.example/x?q=1`)).toBe("/");
  expect(pathOf(`${site}/\\evil.example`)).toBe("/");
});

test("returns the path of a URL on this site, and nothing of another one", () => {
  const site = "https://growline.example";
  expect(ownPath(`${site}/faq?q=1#top`, site)).toBe("/faq?q=1#top");
  expect(ownPath("/faq/../terms", site)).toBe("/terms");
  for (const other of [
    "https://evil.example/faq",
    `${site}.evil.example/faq`,
    `http://growline.example/faq`,
    // Its path alone would name a host.
    `${site}//evil.example`,
    "//evil.example",
    "faq",
    "",
    null,
  ]) {
    expect(ownPath(other, site), String(other)).toBeUndefined();
  }
});

test("returns no path of more than 1,000 characters", () => {
  const longest = `/${"x".repeat(999)}`;
  expect(ownPath(longest, "https://growline.example")).toBe(longest);
  expect(ownPath(`${longest}x`, "https://growline.example")).toBeUndefined();
  expect(pathOf(`https://growline.example${longest}`)).toBe(longest);
});
