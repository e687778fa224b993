import { expect, test } from "vitest";
import { isChatShown } from "./visibility.ts";

test("shows the chat to visitors outside the dashboard, sign-in and onboarding, and to customers everywhere", () => {
  expect(["/", "/api/docs", "/authors"].every((path) => isChatShown(path, false))).toBe(true);
  expect(["/dashboard", "/auth/login", "/onboarding", "/auth"].some((path) => isChatShown(path, false))).toBe(false);
  expect(["/", "/dashboard", "/dashboard/orders"].every((path) => isChatShown(path, true))).toBe(true);
});

test("hides the chat in the console", () => {
  expect(isChatShown("/admin/support/x", true)).toBe(false);
});
