import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { orders, profiles } from "#app/db/schema.server.ts";
import { placeOrder } from "#app/orders/placing/place-order.server.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

const GRACE = await signedIn("admin", "Grace Admin");

test("lists all orders that one id names, here and at two providers, and opens the only one", async () => {
  const { userId } = await customerWith(10_000_000);
  const [ours, first, second] = [await placed(userId), await placed(userId), await placed(userId)];
  for (const id of [first, second]) {
    await db
      .update(orders)
      .set({ providerId: await sandboxProvider(), providerOrderId: String(ours) })
      .where(eq(orders.id, id));
  }
  const { status, html } = await search(String(ours));
  expect(status).toBe(200);
  for (const id of [ours, first, second]) expect(html).toContain(`href="/admin/orders/${id}"`);
  expect(await search(String(first))).toMatchObject({ status: 302, to: `/admin/orders/${first}` });
});

test("doesn't say that no order is held when one customer has none", async () => {
  const [held, calm] = [await customerWith(10_000_000), await customerWith(0)];
  await db
    .update(orders)
    .set({ fulfillment: "held" })
    .where(eq(orders.id, await placed(held.userId)));
  const { html } = await search(calm.email, "&state=held");
  expect(html).toContain(`None of the orders of “${calm.email}” match`);
  expect(html).not.toContain("No held orders");
  // A number beside "Held" would be that of all customers.
  expect(tabOf(html)).toBe("Held");
  expect(tabOf((await search(held.email, "&state=held")).html)).toBe("Held");
  expect(tabOf((await search("")).html)).toMatch(/^Held ?[1-9]/);
});

test("finds an order by any form of its link, by its reference, and by a part of its customer's name", async () => {
  const { userId, email } = await customerWith(10_000_000);
  const [first, second] = [await placed(userId, "https://instagram.com/p/Abc1"), await placed(userId)];
  await db.update(orders).set({ reference: "shop-77" }).where(eq(orders.id, second));
  await db.update(profiles).set({ fullName: "Zoë Quillfeather" }).where(eq(profiles.userId, userId));
  for (const link of [
    "https://instagram.com/p/Abc1",
    "instagram.com/p/Abc1/?igsh=x",
    "http://www.instagram.com/p/Abc1/",
  ]) {
    expect(await search(link), link).toMatchObject({ status: 302, to: `/admin/orders/${first}` });
  }
  expect(await search("shop-77")).toMatchObject({ status: 302, to: `/admin/orders/${second}` });
  for (const part of ["quillfeath", email.slice(0, 12)]) {
    const { status, html } = await search(part);
    expect(status, part).toBe(200);
    for (const id of [first, second]) expect(html, part).toContain(`href="/admin/orders/${id}"`);
  }
  const missed = await search("nobody-has-this");
  expect(missed.html).toContain("Nothing found for “nobody-has-this”");
  expect(missed.html).not.toContain("No held orders");
});

test("shows what orders cost to admins only, in the list and in its file", async () => {
  const { userId, email } = await customerWith(10_000_000);
  await db
    .update(orders)
    .set({ cost: 123_456, costIsReported: true })
    .where(eq(orders.id, await placed(userId)));
  const path = `/admin/orders?state=all&q=${encodeURIComponent(email)}`;
  const [asAdmin, asAgent] = [await open(path, GRACE.cookie), await open(path, (await signedIn("agent")).cookie)];
  expect(asAdmin).toMatch(/>Margin</);
  expect(asAgent).toContain(email);
  expect(asAgent).not.toMatch(/>Margin<|123456|"cost"/);
  expect(await open(path.replace("/orders", "/exports/orders"), GRACE.cookie)).toContain("0.123456");
});

/** Returns the text of the tab of held orders. */
function tabOf(html: string): string {
  const [, link = ""] = /<a[^>]*state=held"[^>]*>(.*?)<\/a>/s.exec(html) ?? [];
  return link
    .replace(/<!-- -->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

async function open(path: string, cookie: string): Promise<string> {
  return (await SELF.fetch(SITE + path, { headers: { Cookie: cookie } })).text();
}

async function placed(userId: string, link = "https://instagram.com/p/1"): Promise<number> {
  const fields = { link, quantity: "1000" };
  const order = { serviceId: await service(), fields, idempotencyKey: null, source: "web" } as const;
  const done = await placeOrder(db, userId, order);
  if (!done.ok) throw new Error(JSON.stringify(done.fault));
  return done.order.id;
}

async function search(text: string, more = "") {
  const response = await SELF.fetch(`${SITE}/admin/orders?q=${encodeURIComponent(text)}${more}`, {
    headers: { Cookie: GRACE.cookie },
    redirect: "manual",
  });
  return {
    status: response.status,
    to: response.headers.get("Location"),
    html: (await response.text()).replaceAll("<!-- -->", ""),
  };
}
