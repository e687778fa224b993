import { SELF } from "cloudflare:test";
import { expect, test, vi } from "vitest";
import { SITE } from "#tests/workerd/all-routes.ts";

const HEADERS: Record<string, string>[] = [
  { Origin: "null" },
  { Origin: "https://evil.example" },
  { Origin: "not a URL" },
  { Origin: SITE, "X-Forwarded-Host": "evil.example" },
];
const REQUESTS = [
  ["HEAD", "/dashboard.data"],
  ["OPTIONS", "/onboarding.data"],
  ["PUT", "/api/order.data"],
  ["POST", "/api/docs"],
  ["DELETE", "/api/docs"],
  ["POST", "/auth/login"],
  ["POST", "/auth/login.data"],
];

test("never fails because of an Origin header, whatever it says, and logs no error", async () => {
  const errors = vi.spyOn(console, "error").mockReturnValue();
  for (const [method = "", path = ""] of REQUESTS) {
    for (const headers of HEADERS) {
      const init = { method, headers: { ...headers, Host: new URL(SITE).host } };
      const response = await SELF.fetch(SITE + path, { ...init, redirect: "manual" });
      await response.text();
      expect(response.status, `${method} ${path} ${JSON.stringify(headers)}`).toBeLessThan(500);
    }
  }
  expect(errors.mock.calls.flat()).toEqual([]);
});
