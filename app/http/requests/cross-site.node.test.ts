import { expect, test } from "vitest";
import { isCrossSiteWrite, withoutForeignOrigin } from "./cross-site.ts";

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

test("hides another site's origin from Remix, and keeps the rest of the request", async () => {
  const body = "a=1";
  const headers = { Origin: "null", "X-Forwarded-Host": "evil.example", "X-Other": "1" };
  const foreign = withoutForeignOrigin(
    new Request("https://growline.example/api/docs", { method: "POST", body, headers }),
  );
  expect(Object.fromEntries(foreign.headers)).toMatchObject({ "x-other": "1" });
  expect([foreign.headers.has("Origin"), foreign.headers.has("X-Forwarded-Host")]).toEqual([false, false]);
  expect([foreign.method, await foreign.text()]).toEqual(["POST", body]);
  const own = post("/logout", { Origin: "https://growline.example" });
  expect(withoutForeignOrigin(own)).toBe(own);
});
