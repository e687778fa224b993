import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { orders, providers, services } from "#app/db/schema.server.ts";
import { CatalogCache } from "#app/orders/catalog/catalog.server.ts";
import { readOffer } from "#app/orders/catalog/offers.server.ts";
import { checkMassOrder } from "#app/orders/mass/check-mass-order.server.ts";
import { placeMassOrder } from "#app/orders/mass/place-mass-order.server.ts";
import { credit, readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, newKey, service } from "#tests/workerd/customer.ts";
import { sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { placeOrder } from "./place-order.server.ts";

const LINK = "https://instagram.com/p/1";
const COMMENTS = "Nice\nGreat, thanks";
const REFUSAL = "Comments for this service can't contain commas. Remove the comma from “Great, thanks”.";

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("shows the rule beside the comments, and refuses a comma without scripts, with what was typed", async () => {
  const { userId, cookie } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: MICRO, note: "test" });
  const { serviceId } = await commentService();
  const form = await SELF.fetch(`${SITE}/dashboard?service=${serviceId}`, { headers: { Cookie: cookie } });
  expect(textOf(await form.text())).toContain("One comment per line. Comments can't contain commas.");
  const body = new URLSearchParams({
    ...{ intent: "order", again: "", shownPrice: "900000 per 1000", idempotencyKey: "web-1" },
    ...{ service: String(serviceId), link: LINK, comments: COMMENTS },
  });
  const sent = await SELF.fetch(`${SITE}/dashboard`, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: cookie },
    body,
  });
  const text = textOf(await sent.text());
  expect(text).toContain(REFUSAL);
  expect(text).toContain(COMMENTS);
  await expectNothingPlaced(userId);
});

test("does not mention commas if the provider accepts them or staff deliver the service", async () => {
  for (const serviceId of [(await commentService({ splitsComments: false })).serviceId, await service()]) {
    expect(await readOffer(db, serviceId)).toMatchObject({ splitsComments: false });
  }
});

test("refuses a comma on both APIs in the shape of other errors, also of a test key", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const testKey = await newKey(userId, { name: "test", scopes: ["order"], isTest: true });
  const { serviceId } = await commentService();
  for (const key of [apiKey, testKey.key]) {
    const fields = { key, action: "add", service: String(serviceId), link: LINK, comments: COMMENTS };
    const panel = await SELF.fetch(`${SITE}/api/v2`, { method: "POST", body: new URLSearchParams(fields) });
    expect(await panel.json()).toEqual({ error: REFUSAL });
    const v1 = await SELF.fetch(`${SITE}/api/v1/create_order`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ service: serviceId, link: LINK, comments: COMMENTS }),
    });
    expect(v1.status).toBe(422);
    expect(await v1.json()).toMatchObject({ title: REFUSAL, code: "invalid_field", field: "comments" });
  }
  await expectNothingPlaced(userId);
});

test("marks the lines of a mass order with a comma, and places none of them", async () => {
  const { userId } = await customerWith(MICRO);
  const { serviceId } = await commentService();
  const text = `service,link,comments\n${serviceId},${LINK},"${COMMENTS}"\n${serviceId},${LINK}2,"Nice\nThanks"`;
  const checked = await checkMassOrder(db, userId, text);
  expect(checked).toMatchObject({ valid: 1, lines: [{ ok: false, error: REFUSAL, column: "comments" }, { ok: true }] });
  const mass = { text, source: "sheet", agreedCharge: checked.ok ? checked.charge : 0 };
  const all = { ...mass, onlyValid: false, idempotencyKey: "mass-1" };
  expect(await placeMassOrder(db, userId, all)).toMatchObject({ ok: false, reason: "invalid_lines" });
  await expectNothingPlaced(userId);
  expect(await placeMassOrder(db, userId, { ...all, onlyValid: true })).toMatchObject({ ok: true });
  expect(await ordersOf(userId)).toMatchObject([{ providerFields: { comments: "Nice\nThanks" } }]);
});

test("refuses a comma by the settings of the moment, though an isolate remembers the service", async () => {
  const { userId } = await customerWith(MICRO);
  const { serviceId, providerId } = await commentService({ splitsComments: false });
  const catalog = new CatalogCache();
  const place = (idempotencyKey: string) => {
    const fields = { link: LINK, comments: COMMENTS };
    return placeOrder(db, userId, { serviceId, fields, idempotencyKey, source: "api" }, catalog);
  };
  expect(await place("first")).toMatchObject({ ok: true });
  const change = (splitsComments: boolean) =>
    db.update(providers).set({ splitsComments }).where(eq(providers.id, providerId));
  await change(true);
  expect(await place("second")).toMatchObject({ ok: false, fault: { field: "comments", text: REFUSAL } });
  // A retry of the order that was placed before.
  expect(await place("first")).toMatchObject({ ok: true, replayed: true });
  await change(false);
  expect(await place("third")).toMatchObject({ ok: true, replayed: false });
  // Its service goes to another provider.
  const other = await sandboxProvider();
  await db.update(providers).set({ splitsComments: true }).where(eq(providers.id, other));
  await db.update(services).set({ providerId: other, providerServiceId: "9" }).where(eq(services.id, serviceId));
  expect(await place("fourth")).toMatchObject({ ok: false, fault: { field: "comments", text: REFUSAL } });
});

/** A service of custom comments whose provider splits them at commas. */
async function commentService({ splitsComments = true } = {}): Promise<{ serviceId: number; providerId: number }> {
  const providerId = await sandboxProvider();
  await db.update(providers).set({ splitsComments }).where(eq(providers.id, providerId));
  const terms = { type: "Custom Comments", min: 1, max: 100, providerId, providerServiceId: "8" } as const;
  return { serviceId: await service({ ...terms, category: "Comments", name: "Comments" }), providerId };
}

function ordersOf(userId: string) {
  return db.select().from(orders).where(eq(orders.userId, userId));
}

async function expectNothingPlaced(userId: string): Promise<void> {
  expect(await ordersOf(userId)).toEqual([]);
  expect(await readBalance(db, userId)).toBe(MICRO);
}

/** The text of a page as a person reads it. */
function textOf(html: string): string {
  const text = html.replaceAll(/<script[\s\S]*?<\/script>|<!-- -->/g, "").replaceAll(/<[^>]+>/g, "");
  return text.replaceAll("&#x27;", "'").replaceAll("&amp;", "&");
}
