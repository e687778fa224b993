import { expect, test } from "vitest";
import { backFrom, linkTarget } from "./link-routing.ts";

const ORIGIN = "https://growline.example";

test("opens only links to other sites in the in-app browser", () => {
  expect(linkTarget("https://policies.google.com/x", ORIGIN, true)).toEqual({
    to: "browser",
    url: "https://policies.google.com/x",
  });
  expect(linkTarget("/dashboard", ORIGIN, true)).toEqual({ to: "page" });
  expect(linkTarget("mailto:a@b.example", ORIGIN, true)).toEqual({ to: "page" });
  expect(linkTarget("http://", ORIGIN, true)).toEqual({ to: "page" });
});

test("opens public pages behind the gate in the in-app browser without a session", () => {
  expect(linkTarget("/reset-password", ORIGIN, false)).toEqual({ to: "browser", url: `${ORIGIN}/reset-password` });
  expect(linkTarget("/reset-password", ORIGIN, true)).toEqual({ to: "page" });
  expect(linkTarget("/auth/login", ORIGIN, false)).toEqual({ to: "page" });
});

test("closes dialogs, then goes back, and leaves the app from a top-level page", () => {
  const calm = { hasOverlay: false, offline: false, canGoBack: true };
  expect(backFrom("/dashboard/account", { ...calm, hasOverlay: true })).toBe("close");
  expect(backFrom("/dashboard/account", calm)).toBe("back");
  expect(backFrom("/dashboard/account", { ...calm, canGoBack: false })).toBe("leave");
  expect(backFrom("/dashboard", calm)).toBe("leave");
});

test("leaves the app on back while offline", () => {
  expect(backFrom("/dashboard/account", { hasOverlay: true, offline: true, canGoBack: true })).toBe("leave");
});
