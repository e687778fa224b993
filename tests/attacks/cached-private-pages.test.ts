import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const SITE = "https://growline.example";

test("lets no cache keep what only one user may see", async () => {
  const { cookie } = await signedIn("admin");
  for (const path of ["/dashboard", "/dashboard/orders", "/dashboard.data", "/admin/customers", "/dashboard/no-page"]) {
    const response = await SELF.fetch(SITE + path, { headers: { Cookie: cookie } });
    await response.body?.cancel();
    expect(response.headers.get("Cache-Control"), path).toBe("private, no-store");
  }
});

test("lets a browser keep a public page for its back button, and no shared cache", async () => {
  for (const path of ["/", "/privacy-policy"]) {
    const response = await SELF.fetch(SITE + path);
    await response.body?.cancel();
    expect(response.headers.get("Cache-Control"), path).toBe("private, no-cache");
  }
});
