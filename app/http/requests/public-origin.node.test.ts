import { expect, test } from "vitest";
import { publicOrigin } from "./public-origin.ts";

const request = new Request("https://evil.example/reset-password");

test("returns the configured origin, whatever host the request names", () => {
  const env = { PUBLIC_ORIGIN: "https://panel.example/", ENVIRONMENT: "production" };
  expect(publicOrigin(env, request)).toBe("https://panel.example");
});

test("falls back to the request's origin outside production only", () => {
  expect(publicOrigin({ PUBLIC_ORIGIN: "", ENVIRONMENT: "local" }, request)).toBe("https://evil.example");
  for (const ENVIRONMENT of ["production", ""]) {
    expect(() => publicOrigin({ PUBLIC_ORIGIN: "", ENVIRONMENT }, request)).toThrow("PUBLIC_ORIGIN is not set");
  }
});
