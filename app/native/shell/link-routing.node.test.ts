import { expect, test } from "vitest";
import { backFrom, wayOf } from "./link-routing.ts";

const ORIGIN = "https://growline.example";

test("links to other sites open in the system's browser, our own pages and other schemes do not", () => {
  expect(wayOf("https://policies.google.com/x", ORIGIN, true)).toEqual({
    to: "browser",
    url: "https://policies.google.com/x",
  });
  expect(wayOf("/dashboard", ORIGIN, true)).toEqual({ to: "page" });
  expect(wayOf("mailto:a@b.example", ORIGIN, true)).toEqual({ to: "page" });
  expect(wayOf("http://", ORIGIN, true)).toEqual({ to: "page" });
});

test("without a session the pages that the gate would hold open in the system's browser", () => {
  expect(wayOf("/reset-password", ORIGIN, false)).toEqual({ to: "browser", url: `${ORIGIN}/reset-password` });
  expect(wayOf("/reset-password", ORIGIN, true)).toEqual({ to: "page" });
  expect(wayOf("/auth/login", ORIGIN, false)).toEqual({ to: "page" });
});

test("the back button closes what floats, then goes back, and leaves the app from a first page", () => {
  const calm = { floats: false, offline: false, canGoBack: true };
  expect(backFrom("/dashboard/account", { ...calm, floats: true })).toBe("close");
  expect(backFrom("/dashboard/account", calm)).toBe("back");
  expect(backFrom("/dashboard/account", { ...calm, canGoBack: false })).toBe("leave");
  expect(backFrom("/dashboard", calm)).toBe("leave");
});

test("without a network the back button leaves the app, whatever is below the screen", () => {
  expect(backFrom("/dashboard/account", { floats: true, offline: true, canGoBack: true })).toBe("leave");
});
