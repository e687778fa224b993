import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders, services } from "#app/db/schema.server.ts";
import { setFavorite } from "#app/orders/catalog/favorites.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { MICRO } from "#app/product.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sessionCookie } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loader as overview } from "./overview.tsx";

test("starts the order form with the wanted service, the first favorite or the first of the catalog", async () => {
  const { userId } = await customerWith(0);
  const cookie = await sessionCookie(userId);
  const firstFor = async (query: string) => {
    const request = new Request(`https://growline.example/dashboard${query}`, { headers: { Cookie: cookie } });
    return (await overview({ request, params: {}, context: loadContext() })).form.first?.id ?? null;
  };
  expect(await firstFor("")).toBe(null);
  const [late, first, zebra, apple] = [await service(), await service(), await service(), await service()];
  await change(late, { position: 9 });
  await change(zebra, { name: "Zebra" });
  await change(apple, { name: "Apple" });
  expect(await firstFor("")).toBe(first);
  for (const id of [zebra, apple]) await setFavorite(db, userId, id, true);
  expect(await firstFor("")).toBe(apple);
  expect(await firstFor(`?service=${late}`)).toBe(late);
  await change(apple, { enabled: false });
  expect(await firstFor("")).toBe(zebra);
  // Instead of a service that isn't on sale, not the favorite, which would pass for what was asked for.
  expect(await firstFor(`?service=${apple}`)).toBe(first);
});

test("says that another service is selected than the one that a link or a repeated order names", async () => {
  const { userId } = await customerWith(0);
  const headers = { Cookie: await sessionCookie(userId) };
  const [sold, gone] = [await service(), await service({ enabled: false })];
  const says = async (query: string) =>
    (await (await SELF.fetch(`${SITE}/dashboard${query}`, { headers })).text()).includes("Another one is selected");
  expect(await says(`?service=${gone}&quantity=500`)).toBe(true);
  expect(await says(`?service=${sold}&quantity=500`)).toBe(false);
  expect(await says("")).toBe(false);
});

test("says that an order was placed only to its customer, and only soon after", async () => {
  const { userId } = await customerWith(MICRO);
  const [mine, other] = [await sessionCookie(userId), await sessionCookie((await customerWith(0)).userId)];
  const input = { serviceId: await service(), idempotencyKey: "web-placed", source: "web" as const };
  const placed = await placeOrder(db, userId, { ...input, fields: { link: "https://x.example/a", quantity: "100" } });
  if (!placed.ok) throw new Error(placed.fault.reason);
  const { id } = placed.order;
  const shown = async (cookie: string) => {
    const request = new Request(`${SITE}/dashboard?placed=${id}`, { headers: { Cookie: cookie } });
    return (await overview({ request, params: {}, context: loadContext() })).form.placed;
  };
  expect(await shown(mine)).toMatchObject({ ok: true, orderId: id });
  expect(await shown(other)).toBe(null);
  await db.update(orders).set({ createdAt: Date.now() - 61 * 60_000 });
  expect(await shown(mine)).toBe(null);
});

async function change(id: number, to: Partial<typeof services.$inferInsert>): Promise<void> {
  await db.update(services).set(to).where(eq(services.id, id));
}
