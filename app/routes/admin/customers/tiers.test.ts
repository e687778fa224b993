import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";
import { auditLog, tierRates, tiers, wallets } from "#app/db/schema.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";

const ADMIN = await signedIn("admin", "Grace Admin");

afterEach(async () => {
  await db.update(wallets).set({ tierId: null });
  await db.delete(tiers);
});

test("creates a tier, shows the margin after it, asks before it sells below cost, and deletes it", async () => {
  const providerId = await sandboxProvider();
  await service({ rate: MICRO, providerId, providerServiceId: "m1", providerRate: 850_000, name: "Thin margin" });
  const { path, id } = await createdTier("Gold", "percent", "10");
  const page = await read(ADMIN, `${path}?q=thin`);
  expect(page).toContain("Thin margin");
  expect(page).toContain("5.5%");
  const dearer = { intent: "tier", name: "Gold", percent: "20", version: "1" };
  const refused = await post(ADMIN, path, dearer);
  expect(refused.status).toBe(400);
  expect(refused.html).toContain("One service sells below cost then");
  expect(refused.html).toContain('name="loss"');
  expect((await post(ADMIN, path, { ...dearer, loss: "on" })).status).toBe(302);
  expect(await read(ADMIN, path)).toContain("One service sells<!-- --> below cost at this tier.");
  expect(await read(ADMIN, `/admin/exports/tier-services?tier=${id}&q=thin`)).toContain("Thin margin,Likes,");
  expect((await post(ADMIN, path, { intent: "delete-tier", version: "1" })).status).toBe(409);
  expect((await post(ADMIN, path, { intent: "delete-tier", version: "2" })).status).toBe(302);
  expect(await db.select().from(tiers)).toEqual([]);
  const log = await db.select().from(auditLog).where(eq(auditLog.subjectType, "tier")).orderBy(auditLog.id);
  expect(log.slice(-3).map(({ action, detail }) => [action, detail])).toEqual([
    ["tier.create", { name: "Gold", kind: "percent", percent: "10%" }],
    ["tier.change", { percent: ["10%", "20%"] }],
    ["tier.delete", { name: "Gold" }],
  ]);
});

test("sets many rates of a fixed tier at once, or none", async () => {
  const [one, two] = [await service({ rate: MICRO }), await service({ rate: 2 * MICRO })];
  const { path } = await createdTier("Partners", "fixed", "");
  const set = (rates: string, version: number) =>
    post(ADMIN, path, { intent: "rates", rates, version: String(version) });
  expect((await set(`${one} | 0.80\n${two} | 1.5`, 1)).status).toBe(302);
  expect(await ownRates()).toEqual([800_000, 1_500_000]);
  expect((await set(`${one} | -\n999999999 | 1`, 2)).status).toBe(409);
  const stale = await set(`${one} | -`, 1);
  expect(stale.status).toBe(409);
  expect(stale.html).toContain("Grace Admin changed this tier meanwhile");
  expect(stale.html).toContain(`Service ${one} has $0.80, and you entered the usual rate.`);
  expect(await ownRates()).toEqual([800_000, 1_500_000]);
  expect((await set(`${one} | -`, 2)).status).toBe(302);
  expect(await ownRates()).toEqual([1_500_000]);
});

test("shows both names when two admins rename a tier", async () => {
  const { path } = await createdTier("Gold", "percent", "10");
  const ada = await signedIn("admin", "Ada Admin");
  await post(ada, path, { intent: "tier", name: "Golden", percent: "10", version: "1" });
  const refused = await post(ADMIN, path, {
    intent: "tier",
    name: "Gold plus",
    percent: "10",
    version: "1",
  });
  expect(refused.status).toBe(409);
  for (const text of ["Ada Admin", "Golden", "Gold plus"]) expect(refused.html).toContain(text);
});

test("assigns a customer a tier for admins alone, and says so on a stale page", async () => {
  const agent = await signedIn("agent");
  const { userId } = await customerWith(0);
  const path = `/admin/customers/${userId}`;
  const gold = await createdTier("Gold", "percent", "10");
  const assign = { intent: "assign-tier", tier: String(gold.id), version: "0" };
  expect((await post(agent, path, assign)).status).toBe(404);
  expect(await read(agent, path)).not.toContain("assign-tier");
  expect((await post(agent, "/admin/tiers", newTier("Mine", "percent", "90"))).status).toBe(404);
  expect((await post(agent, gold.path, { intent: "tier", name: "Mine", percent: "90" })).status).toBe(404);
  expect(await read(ADMIN, path)).toContain("Usual prices");
  expect((await post(ADMIN, path, assign)).status).toBe(302);
  const stale = await post(ADMIN, path, { ...assign, tier: "" });
  expect(stale.status).toBe(409);
  expect(stale.html).toContain("it is Gold now");
  const [wallet] = await db.select().from(wallets).where(eq(wallets.userId, userId));
  expect(wallet?.tierId).toBe(gold.id);
});

function newTier(name: string, kind: string, percent: string) {
  return { intent: "save", name, kind, percent, once: crypto.randomUUID() };
}

/** Creates a tier in its form. Returns its page. */
async function createdTier(name: string, kind: string, percent: string): Promise<{ path: string; id: number }> {
  const { status, location } = await post(ADMIN, "/admin/tiers", newTier(name, kind, percent));
  expect(status).toBe(302);
  expect(location).toMatch(/^\/admin\/tiers\/\d+$/);
  return { path: location ?? "", id: Number(location?.split("/").at(-1)) };
}

async function ownRates(): Promise<number[]> {
  const rows = await db.select({ rate: tierRates.rate }).from(tierRates).orderBy(tierRates.serviceId);
  return rows.map(({ rate }) => rate);
}

async function read({ cookie }: SignedInAccount, path: string): Promise<string> {
  return (await SELF.fetch(SITE + path, { headers: { Cookie: cookie } })).text();
}

async function post({ cookie }: SignedInAccount, path: string, fields: Record<string, string>) {
  const response = await SELF.fetch(SITE + path, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: cookie },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
  const location = response.headers.get("Location");
  return { status: response.status, location, html: await response.text() };
}
