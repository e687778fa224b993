import { expect, test } from "vitest";
import { requireDebugPages } from "./debug-pages.ts";

test("returns 404 for the debugging pages in production unless they are turned on", () => {
  const statusOf = (env: { ENVIRONMENT: string; DEBUG_PAGES?: string }) => {
    try {
      requireDebugPages(env);
      return 200;
    } catch (thrown) {
      return thrown instanceof Response ? thrown.status : 500;
    }
  };
  expect(statusOf({ ENVIRONMENT: "production" })).toBe(404);
  expect(statusOf({ ENVIRONMENT: "production", DEBUG_PAGES: "off" })).toBe(404);
  expect(statusOf({ ENVIRONMENT: "production", DEBUG_PAGES: "on" })).toBe(200);
  expect(statusOf({ ENVIRONMENT: "local" })).toBe(200);
});
