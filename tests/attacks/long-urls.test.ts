import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { SITE } from "#tests/workerd/all-routes.ts";

/** Clients refuse responses whose headers are longer, such as Node's with 16 KB. */
const MAX_HEADER_CHARACTERS = 4000;

test("sends no long address back in a header", async () => {
  for (const path of ["/dashboard/orders", "/admin/customers/1", "/account/two-step", "/auth/verify"]) {
    const response = await SELF.fetch(`${SITE}${path}?q=${"%20".repeat(4000)}`, { method: "HEAD", redirect: "manual" });
    const headers = [...response.headers].map(([name, value]) => name.length + value.length);
    expect(Math.max(...headers), path).toBeLessThan(MAX_HEADER_CHARACTERS);
  }
});
