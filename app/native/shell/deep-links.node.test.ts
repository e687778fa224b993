import { expect, test } from "vitest";
import { deepLinkPath } from "./deep-links.ts";

const ORIGIN = "https://growline.example";

test("maps a deep link to a path on this site and rejects foreign ones", () => {
  expect(deepLinkPath(`${ORIGIN}/dashboard?tab=orders#1`, ORIGIN)).toBe("/dashboard?tab=orders#1");
  expect(deepLinkPath(`${ORIGIN}/dashboard/orders/7/`, ORIGIN)).toBe("/dashboard/orders/7");
  expect(deepLinkPath("growline:/dashboard", ORIGIN)).toBe("/dashboard");
  expect(deepLinkPath("growline://account/delete", ORIGIN)).toBe("/account/delete");
  for (const foreign of [
    "https://evil.example/dashboard",
    "growline:////evil.example/dashboard",
    "growline:\\\\evil.example\\dashboard",
    "not a link",
  ]) {
    expect(deepLinkPath(foreign, ORIGIN), foreign).toBe(null);
  }
});

test("rejects paths beside or below a page that are not pages", () => {
  for (const path of [
    "/dashboardish",
    "/gmail-sync/status",
    "/upload/files/1",
    "/dashboard/orders.csv",
    "/dashboard/services/3",
    "/reset-password?token=x",
    "/logout",
    "/dashboard/../logout",
  ]) {
    expect(deepLinkPath(ORIGIN + path, ORIGIN), path).toBe(null);
    expect(deepLinkPath(`growline:/${path}`, ORIGIN), path).toBe(null);
  }
});

test("accepts Google's callback only by the app's own scheme, never as an https link", () => {
  expect(deepLinkPath(`${ORIGIN}/gmail-sync/callback?code=1`, ORIGIN)).toBe(null);
  expect(deepLinkPath("growline://gmail-sync/callback?code=1", ORIGIN)).toBe("/gmail-sync/callback?code=1");
  expect(deepLinkPath("growline://gmail-sync/callback/more", ORIGIN)).toBe(null);
});
