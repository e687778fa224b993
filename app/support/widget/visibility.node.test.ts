import { expect, test } from "vitest";
import { isChatShown } from "./visibility.ts";

test("shows the chat to visitors outside the dashboard, sign-in and onboarding, and to customers everywhere", () => {
  expect(["/", "/api/docs", "/authors"].every((path) => isChatShown(path, false))).toBe(true);
  expect(["/dashboard", "/auth/login", "/onboarding", "/auth"].some((path) => isChatShown(path, false))).toBe(false);
  expect(["/", "/dashboard", "/dashboard/orders"].every((path) => isChatShown(path, true))).toBe(true);
});

test("shows the chat on pages whose names only start like those without it", () => {
  const paths = ["/onboarding-demo", "/dashboards", "/authors", "/administration"];
  for (const signedIn of [true, false]) expect(paths.filter((path) => isChatShown(path, signedIn))).toEqual(paths);
});

test("hides the chat in the console and during the introduction", () => {
  expect(isChatShown("/admin/support/x", true)).toBe(false);
  expect(["/onboarding", "/onboarding/"].some((path) => isChatShown(path, true))).toBe(false);
});
