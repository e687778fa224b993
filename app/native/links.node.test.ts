import { expect, test } from "vitest";
import { backFrom, wayOf } from "./links.ts";

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
  expect(backFrom("/dashboard/account", true, true)).toBe("close");
  expect(backFrom("/dashboard/account", false, true)).toBe("back");
  expect(backFrom("/dashboard/account", false, false)).toBe("leave");
  expect(backFrom("/dashboard", false, true)).toBe("leave");
});
