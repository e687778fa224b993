import { expect, test } from "vitest";
import { seenPage } from "./seen-page.ts";

const pathOf = (path: string) => seenPage({ path, title: "" }).path;

test("keeps ordinary paths and titles as they are", () => {
  expect(seenPage({ path: "/dashboard/orders/1234567", title: "Order 1234567 · Growline" })).toEqual({
    path: "/dashboard/orders/1234567",
    title: "Order 1234567 · Growline",
  });
  expect(pathOf("/")).toBe("/");
  expect(pathOf("/well-known-and-very-long-page-name")).toBe("/well-known-and-very-long-page-name");
});

test("turns what leads to another site into a path of this one", () => {
  expect(pathOf("//evil.example/login")).toBe("/evil.example/login");
  expect(pathOf("/\\evil.example")).toBe("/evil.example");
});

test("leaves out parts that look like keys, and controls that turn or hide text", () => {
  expect(pathOf("/reset/9f86d081884c7d659a2feaa0c55ad015/done")).toBe("/reset/…/done");
  expect(seenPage({ path: "/a\u202egnp.exe\u0000", title: "\u2066Pay\u2069\n\u200b" })).toEqual({
    path: "/agnp.exe",
    title: "Pay",
  });
  expect(seenPage({ path: "/", title: "\u200b\u2060" }).title).toBe("");
});
