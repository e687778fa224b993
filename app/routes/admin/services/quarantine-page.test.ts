import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { quarantine, services } from "#app/db/schema.server.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const GRACE = await signedIn("admin", "Grace Admin");

test("asks by a box, also without scripts, before our rate is kept below the new cost", async () => {
  const providerId = await sandboxProvider();
  const shop = { providerId, rate: 2_000_000, providerRate: 1_000_000, enabled: false };
  const id = await service({ ...shop, providerServiceId: "1" });
  const terms = { category: "Likes", type: "Default", rate: 3_000_000, min: 10, max: 100_000 } as const;
  const offered = { ...terms, dripfeed: false, refill: false, cancel: false };
  await db
    .insert(quarantine)
    .values({ providerId, serviceId: id, reason: "below_cost", paused: true, foundAt: 1, offered });
  const path = `/admin/providers/quarantine?provider=${providerId}`;
  const shown = await send(path);
  expect(shown.html).not.toContain('name="loss"');
  const [, pick = ""] = /name="pick"[^>]*value="([^"]+)"|value="([^"]+)"[^>]*name="pick"/.exec(shown.html) ?? [];
  const refused = await send(path, { intent: "keep", pick });
  expect(refused.status).toBe(409);
  expect(refused.html).toContain("This would sell below cost. Tick the box to agree to that, or change it.");
  expect(refused.html).toMatch(/<input[^>]*name="loss"/);
  expect(await isOnSale(id)).toBe(false);
  expect((await send(path, { intent: "keep", pick, loss: "on" })).status).toBe(302);
  expect(await isOnSale(id)).toBe(true);
});

async function send(path: string, fields?: Record<string, string>): Promise<{ status: number; html: string }> {
  const headers = { ...SAME_SITE, Cookie: GRACE.cookie };
  const body = fields && { method: "POST", body: new URLSearchParams(fields) };
  const response = await SELF.fetch(SITE + path, { headers, redirect: "manual", ...body });
  return { status: response.status, html: await response.text() };
}

async function isOnSale(id: number): Promise<boolean | undefined> {
  const [row] = await db.select().from(services).where(eq(services.id, id));
  return row?.enabled;
}
