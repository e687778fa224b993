import { SELF } from "cloudflare:test";
import { expect, test } from "vitest";
import { routesWithLoader, SITE } from "#tests/workerd/all-routes.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor } from "#tests/workerd/support-visitor.ts";

/** The same for everybody, byte for byte. */
const SHARED = [
  "/catalog.json",
  "/api/openapi.json",
  "/site.webmanifest",
  "/robots.txt",
  "/sitemap.xml",
  "/updates.xml",
];

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

test("lets nothing that a route returns be shown again without asking, except what is the same for everybody", async () => {
  const { cookie } = await signedIn("admin");
  const chat = await newVisitor();
  const file = await sentFile(chat);
  const kept = new Set<string>();
  const statuses = new Map<string, number>();
  for (const route of routesWithLoader()) {
    const path = route.replace("/support/sessions/:id", `/support/sessions/${chat.sessionId}`).replace(":file", file);
    for (const headers of [{ Cookie: cookie }, { Cookie: "" }]) {
      const response = await SELF.fetch(SITE + path.replaceAll(/:\w+/g, "1"), { headers, redirect: "manual" });
      await response.body?.cancel();
      if (headers.Cookie) statuses.set(route, response.status);
      const cache = response.headers.get("Cache-Control") ?? "";
      if (!/^((private, )?no-store|private, no-cache)$/.test(cache)) kept.add(route);
    }
  }
  expect([...kept].sort()).toEqual([...SHARED].sort());
  expect(statuses.size).toBeGreaterThan(60);
  for (const route of [
    "/dashboard/account/export",
    "/support/sessions/:id/files/:file",
    "/dashboard/transactions.csv",
  ]) {
    expect([route, statuses.get(route)]).toEqual([route, 200]);
  }
});

async function sentFile({ sessionId, cookie }: { sessionId: string; cookie: string }): Promise<string> {
  const path = `/support/sessions/${sessionId}/files?clientId=1&name=a.png`;
  const body = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  await SELF.fetch(SITE + path, { method: "POST", body, headers: { Cookie: cookie, Origin: SITE } });
  const history = await SELF.fetch(`${SITE}/support/sessions/${sessionId}/messages`, { headers: { Cookie: cookie } });
  const { messages } = await history.json<{ messages: { file?: { id: string } }[] }>();
  return messages.find((message) => message.file)?.file?.id ?? "none";
}
