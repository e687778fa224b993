import { expect, test } from "vitest";
import { isCrossSiteWrite } from "./cross-site.ts";

const post = (path: string, headers: Record<string, string> = {}, method = "POST") =>
  new Request(`https://growline.example${path}`, { method, headers });

test("recognizes a write from another site by either header", () => {
  expect(isCrossSiteWrite(post("/logout", { Origin: "https://evil.example" }))).toBe(true);
  expect(isCrossSiteWrite(post("/logout", { Origin: "null" }))).toBe(true);
  expect(isCrossSiteWrite(post("/logout", { "Sec-Fetch-Site": "cross-site" }))).toBe(true);
  expect(isCrossSiteWrite(post("/logout", { "Sec-Fetch-Site": "same-site" }, "DELETE"))).toBe(true);
});

test("allows our own pages, API clients and reads", () => {
  expect(isCrossSiteWrite(post("/logout", { Origin: "https://growline.example" }))).toBe(false);
  expect(isCrossSiteWrite(post("/logout"))).toBe(false);
  expect(isCrossSiteWrite(post("/api/v2", { Origin: "https://shop.example" }))).toBe(false);
  expect(isCrossSiteWrite(post("/", { Origin: "https://evil.example" }, "GET"))).toBe(false);
});
