import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { desc, eq } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { orders, type services } from "#app/db/schema.server.ts";
import { checkMassOrder } from "#app/orders/mass/check-mass-order.server.ts";
import { earlierLines } from "#app/orders/mass/earlier-lines.ts";
import { placeMassOrder } from "#app/orders/mass/place-mass-order.server.ts";
import { linkKeyOf } from "#app/orders/rules/links/link-key.server.ts";
import { credit, readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { findOpenOrder } from "./duplicate-order.server.ts";
import { placeOrder } from "./place-order.server.ts";
import { placeFromForm } from "./place-order-form.server.ts";

const POST = "https://www.instagram.com/p/Cx7yQ2Lr9aB/";
const PROFILE = "https://www.instagram.com/norabakes/";
const TAKES = "a post, like https://www.instagram.com/p/…";

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

/** The price of a test's service. */
const SHOWN_PRICE = "900000 per 1000";

test("strict refuses a link of another kind, charges nothing and shows the right form under the field", async () => {
  const { userId } = await customerWith(MICRO);
  const id = await likes("strict");
  for (const link of [PROFILE, "https://www.tiktok.com/@nora/video/7301234567890123456", "https://example.com/shop"]) {
    expect(await submit(userId, id, { link }), link).toMatchObject({
      ok: false,
      field: "link",
      text: `Paste a link to ${TAKES}`,
    });
  }
  expect(await ordersOf(userId)).toEqual([]);
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test("strict takes a right link in any form, and short links that nobody can resolve here", async () => {
  const { userId } = await customerWith(MICRO);
  const id = await likes("strict");
  for (const link of ["m.instagram.com/nora/p/Aa1?igsh=x", "https://instagram.com/reel/Bb2", "https://bit.ly/3xYz"]) {
    expect(await submit(userId, id, { link }), link).toMatchObject({ ok: true });
  }
});

test("warn asks a customer, and orders with the link once it is agreed to", async () => {
  const { userId } = await customerWith(MICRO);
  const id = await likes("warn");
  const asked = await submit(userId, id, { link: PROFILE });
  expect(asked).toMatchObject({ ok: false, field: "link", doubtfulLink: `${id} ${PROFILE}` });
  expect(asked.ok || asked.text).toContain(`This looks like an Instagram profile. This service takes ${TAKES}.`);
  expect(await ordersOf(userId)).toEqual([]);

  const other = await submit(userId, id, { link: `${PROFILE}tagged/`, agreedLink: `${id} ${PROFILE}` });
  expect(other, "agreed to another link").toMatchObject({ ok: false, field: "link" });
  const elsewhere = await submit(userId, await likes("warn"), { link: PROFILE, agreedLink: `${id} ${PROFILE}` });
  expect(elsewhere, "agreed for another service").toMatchObject({ ok: false, field: "link" });

  expect(await submit(userId, id, { link: PROFILE, agreedLink: `${id} ${PROFILE}` })).toMatchObject({ ok: true });
  // Stored as it was agreed to.
  expect(await ordersOf(userId)).toMatchObject([{ link: PROFILE }]);
});

test("strict is not talked into a wrong link by an agreement", async () => {
  const { userId } = await customerWith(MICRO);
  const id = await likes("strict");
  expect(await submit(userId, id, { link: PROFILE, agreedLink: `${id} ${PROFILE}` })).toMatchObject({ ok: false });
});

test("asks about a doubtful link on a page without scripts", async () => {
  const { userId, cookie } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: MICRO, note: "test" });
  const id = await likes("warn");
  const page = await postForm(cookie, { service: String(id), link: PROFILE, quantity: "100", idempotencyKey: "web-1" });
  const html = await page.text();
  expect(html).toContain("This looks like an Instagram profile.");
  const [box] = /<input[^>]*name="agreedLink"[^>]*>/.exec(html) ?? [];
  expect(box).toContain(`value="${id} ${PROFILE}"`);
  const agreed = { agreedLink: `${id} ${PROFILE}`, idempotencyKey: "web-1" };
  await (await postForm(cookie, { service: String(id), link: PROFILE, quantity: "100", ...agreed })).text();
  expect(await ordersOf(userId)).toMatchObject([{ link: PROFILE }]);
});

test("answers Bad link on both APIs where a service is strict, and changes nothing", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const id = await likes("strict");
  const panel = await panelAdd(apiKey, id, PROFILE);
  expect(await panel.json()).toEqual({ error: "Bad link" });
  const v1 = await createOrder(apiKey, id, PROFILE);
  expect(v1.status).toBe(422);
  expect(await v1.json()).toMatchObject({ title: "Bad link", code: "bad_link", field: "link" });
  expect(await ordersOf(userId)).toEqual([]);
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test.each(["warn", "off"] as const)("accepts any link on both APIs where a service says %s", async (linkCheck) => {
  const { userId, apiKey } = await customerWith(MICRO);
  const id = await likes(linkCheck);
  expect(await (await panelAdd(apiKey, id, PROFILE)).json()).toMatchObject({ order: expect.any(Number) });
  expect(await (await createOrder(apiKey, id, "https://example.com/a")).json()).toMatchObject({
    link: "https://example.com/a",
  });
  expect((await ordersOf(userId)).map(({ link }) => link)).toEqual(["https://example.com/a", PROFILE]);
});

test("off takes any link on the web as it is", async () => {
  const { userId } = await customerWith(MICRO);
  const link = "https://m.instagram.com/p/Cx7yQ2Lr9aB/?igsh=abc#top";
  expect(await submit(userId, await likes("off"), { link })).toMatchObject({ ok: true });
  expect(await ordersOf(userId)).toMatchObject([{ link }]);
});

test("stores a person's link in its usual form, and a program's as it was sent", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const id = await likes("strict");
  const given = "http://m.instagram.com/nora.bakes/p/Cx7yQ2Lr9aB?igsh=abc&hl=de";
  expect(await submit(userId, id, { link: given })).toMatchObject({ ok: true });
  expect(await (await createOrder(apiKey, id, given)).json()).toMatchObject({ link: given });
  // An unknown parameter may mean something.
  const unsure = "https://www.instagram.com/p/Dd4/?variant=2&coupon=7";
  expect(await submit(userId, id, { link: unsure })).toMatchObject({ ok: true });
  expect((await ordersOf(userId)).map(({ link }) => link)).toEqual([unsure, given, POST]);
});

test("takes @name for a profile on the service's network", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const followers = { category: "Followers", name: "Instagram followers", linkKind: "profile" } as const;
  const id = await service({ ...followers, linkCheck: "strict" });
  expect(await submit(userId, id, { link: "@nora.bakes" })).toMatchObject({ ok: true });
  expect(await (await panelAdd(apiKey, id, "@marlow")).json()).toMatchObject({ order: expect.any(Number) });
  expect(await submit(userId, await likes("strict"), { link: "@nora.bakes" })).toMatchObject({ ok: false });
  expect((await ordersOf(userId)).map(({ link }) => link)).toEqual([
    "https://www.instagram.com/marlow/",
    "https://www.instagram.com/nora.bakes/",
  ]);
});

test("takes a link without what apps add at its ends, on every way an order comes in, and finds it so", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const [id, off] = [await likes("strict"), await likes("off")];
  const given = `\ufeff\u2068${POST}%E2%80%8B\u200b\u00a0\u2069`;
  expect(await submit(userId, id, { link: given })).toMatchObject({ ok: true });
  expect(await submit(userId, id, { link: `\u200b${POST}`, quantity: "150" }), "asked").toMatchObject({ ok: false });
  expect(await submit(userId, off, { link: given })).toMatchObject({ ok: true });
  expect(await (await createOrder(apiKey, off, given)).json()).toMatchObject({ link: POST });
  expect(await (await panelAdd(apiKey, off, given)).json()).toMatchObject({ order: expect.any(Number) });
  const mass = await checkMassOrder(db, userId, `\u200b${off} | ${given} | 100\u200b`);
  expect(mass).toMatchObject({ ok: true, lines: [{ ok: true, link: POST, quantity: "100" }] });
  expect((await ordersOf(userId)).map(({ link }) => link)).toEqual([POST, POST, POST, POST]);
  const keys = await db.select({ linkKey: orders.linkKey }).from(orders).where(eq(orders.userId, userId));
  expect(new Set(keys.map(({ linkKey }) => linkKey))).toEqual(new Set([linkKeyOf(POST)]));
  expect(linkKeyOf(given)).toBe(linkKeyOf(POST));
});

test("refuses a link with an invisible character inside, says so, and charges nothing", async () => {
  const { userId, apiKey } = await customerWith(MICRO);
  const where = "“…/www.instagram.com/p/Cx7”";
  const text = `This link contains an invisible character after ${where}. Delete it, or type the link again`;
  const given = POST.replace("Cx7", "Cx7\u200b");
  for (const linkCheck of ["off", "warn", "strict"] as const) {
    const id = await likes(linkCheck);
    expect(await submit(userId, id, { link: given }), linkCheck).toMatchObject({ ok: false, field: "link", text });
    expect(await (await panelAdd(apiKey, id, given)).json()).toEqual({ error: "Bad link" });
    const v1 = await createOrder(apiKey, id, given);
    expect(await v1.json()).toMatchObject({
      ...{ title: "This link contains an invisible character", detail: text, code: "bad_link", field: "link" },
    });
    const mass = await checkMassOrder(db, userId, `${id} | ${given} | 100`);
    expect(mass).toMatchObject({ ok: true, lines: [{ ok: false, column: "link", error: text }] });
  }
  expect(await ordersOf(userId)).toEqual([]);
  expect(await readBalance(db, userId)).toBe(MICRO);
});

test("refuses pages of a network that lead to nothing, and takes hosts that are its own", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const views = { network: "YouTube", category: "Views", name: "YouTube views", linkKind: "video" } as const;
  const youtube = await service({ ...views, linkCheck: "strict" });
  const channel = "UCbq2wT9yKx4Rz1LmA7dGh3Q";
  for (const link of [
    "https://www.youtube.com/watch?v=hX2rVq81Lm",
    "https://www.youtube.com/embed/videoseries?list=PLq2wT9yKx4Rz1LmA7dGh3Q",
    "https://music.youtube.com/search?q=oak",
    "https://www.youtube.com/embed/live_stream",
  ]) {
    expect(await submit(userId, youtube, { link }), link).toMatchObject({ ok: false, field: "link" });
  }
  const followers = { network: "Facebook", category: "Followers", name: "Facebook page followers" } as const;
  const facebook = await service({ ...followers, linkKind: "profile", linkCheck: "strict" });
  const warning = "https://www.facebook.com/flx/warn/?h=TAQx&u=https%3A%2F%2Fexample.com";
  expect(await submit(userId, facebook, { link: warning })).toMatchObject({ ok: false, field: "link" });
  expect(await ordersOf(userId)).toEqual([]);

  const live = { ...views, category: "Live", name: "YouTube live viewers", linkKind: "live" } as const;
  const viewers = await service({ ...live, linkCheck: "strict" });
  const embed = `https://www.youtube.com/embed/live_stream?channel=${channel}`;
  expect(await submit(userId, viewers, { link: embed })).toMatchObject({ ok: true });
  const other = embed.replace("UCb", "UCc");
  expect(await submit(userId, viewers, { link: other }), "another channel").toMatchObject({ ok: true });
  const tiktok = { network: "TikTok", category: "Views", name: "TikTok views", linkKind: "video" } as const;
  const plays = await service({ ...tiktok, linkCheck: "strict" });
  const shared = "https://www.tiktokv.com/share/video/7301234567890123456/";
  expect(await submit(userId, plays, { link: shared })).toMatchObject({ ok: true });
});

test("returns the order of a repeated key by what was sent, and refuses the key with another form of the link", async () => {
  const { userId } = await customerWith(MICRO);
  const serviceId = await likes("strict");
  const input = { serviceId, idempotencyKey: "the-key", source: "web" as const };
  const link = "https://m.instagram.com/p/Cx7yQ2Lr9aB?igsh=1";
  const first = await placeOrder(db, userId, { ...input, fields: { link, quantity: "100" } });
  const again = await placeOrder(db, userId, { ...input, fields: { link, quantity: "100" } });
  expect(again).toMatchObject({ ok: true, replayed: true, order: { id: first.ok ? first.order.id : 0, link: POST } });
  const other = await placeOrder(db, userId, { ...input, fields: { link: POST, quantity: "100" } });
  expect(other).toMatchObject({ ok: false, fault: { reason: "idempotency_conflict" } });
});

test("checks the links of a mass order, and places doubtful ones only if they are agreed to", async () => {
  const { userId } = await customerWith(MICRO);
  const [strict, warn] = [await likes("strict"), await likes("warn")];
  const text = [
    `${strict} | ${PROFILE} | 100`,
    `${warn} | ${PROFILE} | 100`,
    `${warn} | instagram.com/p/Aa1 | 100`,
  ].join("\n");
  const checked = await checkMassOrder(db, userId, text);
  if (!checked.ok) throw new Error(checked.text);
  expect(checked).toMatchObject({ valid: 2, invalid: 1, doubtful: 1 });
  expect(checked.lines).toMatchObject([
    { ok: false, error: `Paste a link to ${TAKES}` },
    { ok: true, link: PROFILE, doubt: `This looks like an Instagram profile. This service takes ${TAKES}.` },
    { ok: true, link: "https://www.instagram.com/p/Aa1/", doubt: null },
  ]);
  const mass = { text, source: "", onlyValid: true, agreedCharge: checked.charge, idempotencyKey: "mass-1" };
  expect(await placeMassOrder(db, userId, mass)).toMatchObject({ ok: false, reason: "doubtful_lines" });
  expect(await ordersOf(userId)).toEqual([]);
  expect(await placeMassOrder(db, userId, { ...mass, agreedDoubts: 1 })).toMatchObject({ ok: true });
  expect(await ordersOf(userId)).toHaveLength(2);
});

test("asks about lines of a mass order for the link of an open order or of another line", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const [id, other] = [await likes("warn"), await likes("warn")];
  const { order } = await (await panelAdd(apiKey, id, POST)).json<{ order: number }>();
  const text = [
    `${id} | instagram.com/reel/Cx7yQ2Lr9aB | 100`,
    `${other} | ${POST} | 100`,
    `${id} | instagram.com/p/Aa1 | 100`,
    `${id} | m.instagram.com/p/Aa1?igsh=x | 200`,
    `${id} | instagram.com/p/Bb2 | 1`,
    `${id} | instagram.com/p/Bb2 | 100`,
  ].join("\n");
  const checked = await checkMassOrder(db, userId, text);
  if (!checked.ok) throw new Error(checked.text);
  expect(checked).toMatchObject({ valid: 5, invalid: 1, doubtful: 2 });
  const [first, ...rest] = checked.lines.map((line) => line.ok && line.doubt);
  expect(first).toContain(`Order ${order} for the same link is still open`);
  expect(rest).toEqual([null, null, null, false, null]);
  // A line with an error is not placed, so that the same link below it is the only one.
  expect(earlierLines(checked.lines.map((line) => (line.ok ? line.target : null)))).toEqual([
    null,
    null,
    null,
    2,
    null,
    null,
  ]);

  const mass = { text, source: "", onlyValid: true, agreedCharge: checked.charge, idempotencyKey: "mass-again" };
  const unasked = { ok: false, reason: "doubtful_lines" };
  expect(await placeMassOrder(db, userId, mass)).toMatchObject(unasked);
  expect(await placeMassOrder(db, userId, { ...mass, agreedDoubts: 1 }), "agreed to fewer").toMatchObject(unasked);
  expect(await ordersOf(userId)).toHaveLength(1);
  const placed = await placeMassOrder(db, userId, { ...mass, agreedDoubts: 2 });
  expect(placed).toMatchObject({ ok: true });
  expect(await placeMassOrder(db, userId, mass), "sent again").toMatchObject({ ok: true, replayed: true });
  expect(await ordersOf(userId)).toHaveLength(6);
});

test("compares the lines of a mass order with as many open orders as there are lines, of its own customer", async () => {
  const { userId } = await customerWith(0);
  const id = await likes("warn");
  await addOpenOrders(userId, id, 150);
  const lines = Array.from({ length: 150 }, (_, n) => `${id} | instagram.com/p/o${n + 1} | 100`).join("\n");
  expect(await checkMassOrder(db, userId, lines)).toMatchObject({ valid: 150, doubtful: 150 });
  const stranger = await customerWith(0);
  expect(await checkMassOrder(db, stranger.userId, lines)).toMatchObject({ doubtful: 0 });
  await db.update(orders).set({ status: "Completed", remains: 0 }).where(eq(orders.userId, userId));
  expect(await checkMassOrder(db, userId, lines)).toMatchObject({ doubtful: 0 });
  await db.delete(orders).where(eq(orders.userId, userId));
});

test("asks about an open order of the same service for another form of the same link", async () => {
  const { userId, apiKey } = await customerWith(10 * MICRO);
  const id = await likes("warn");
  const { order } = await (await panelAdd(apiKey, id, "https://m.instagram.com/nora/p/Cx7yQ2Lr9aB?igsh=1")).json<{
    order: number;
  }>();
  const asked = await submit(userId, id, { link: "instagram.com/reel/Cx7yQ2Lr9aB" });
  expect(asked).toMatchObject({ ok: false, duplicate: order, field: null });
  expect(await submit(userId, await likes("warn"), { link: POST }), "another service").toMatchObject({ ok: true });
  const other = "https://www.instagram.com/p/Other12345/";
  expect(await submit(userId, id, { link: other })).toMatchObject({ ok: true });
  const changed = await submit(userId, id, { link: other, quantity: "150", again: String(order) });
  expect(changed, "asked about another link").toMatchObject({ ok: false });
  expect(await submit(userId, id, { link: POST, again: String(order) }), "asked before").toMatchObject({ ok: true });
  await db.update(orders).set({ status: "Completed", remains: 0 }).where(eq(orders.userId, userId));
  expect(await submit(userId, id, { link: POST, quantity: "150" }), "closed").toMatchObject({ ok: true });

  const stranger = await customerWith(MICRO);
  expect(await submit(stranger.userId, id, { link: POST }), "another customer").toMatchObject({ ok: true });
});

test("asks once about a link that it doesn't know, written without https, and then orders it again", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const id = await likes("warn");
  const link = "vm.tiktok.com/ZMhKQ1xyz";
  const first = await submit(userId, id, { link });
  if (!first.ok) throw new Error(first.text);
  expect(await submit(userId, id, { link }), "the same order").toMatchObject({ ok: false, duplicate: first.orderId });
  const more = await submit(userId, id, { link, quantity: "150" });
  expect(more, "the same link").toMatchObject({ ok: false, duplicate: first.orderId });
  expect(await submit(userId, id, { link, again: String(first.orderId) })).toMatchObject({ ok: true });
});

test("gives a form that is sent again its order instead of asking about it", async () => {
  const { userId } = await customerWith(10 * MICRO);
  const id = await likes("warn");
  const first = await submit(userId, id, { link: POST, idempotencyKey: "web-same" });
  const again = await submit(userId, id, { link: POST, idempotencyKey: "web-same" });
  expect(again).toMatchObject({ ok: true, replayed: true, orderId: first.ok ? first.orderId : 0 });
});

test("reads the same rows for an open order however many orders there are", async () => {
  const { userId } = await customerWith(0);
  const serviceId = await likes("warn");
  const reads = async (orders: number) => {
    await addOpenOrders(userId, serviceId, orders);
    const { database, counts } = countedDatabase(env.DB);
    const found = await findOpenOrder(connect(database), userId, { serviceId, link: POST, idempotencyKey: "new" });
    return { found, ...counts };
  };
  const few = await reads(500);
  expect(few.queries).toBe(1);
  expect(await reads(3000)).toEqual(few);
  // They were never charged, which the check of the ledger would report.
  await db.delete(orders).where(eq(orders.userId, userId));
});

/** Adds as many open orders in each open status, for links of their own. */
async function addOpenOrders(userId: string, serviceId: number, count: number, { isTest = false } = {}): Promise<void> {
  await env.DB.prepare(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)
     insert into orders (user_id, service_id, type, link, quantity, charge, remains, idempotency_key, request_digest, source, fulfillment, status, is_test, created_at, updated_at)
     select ?2, ?3, 'Default', 'https://www.instagram.com/p/o' || i || '/', 100, 0, 100, ?1 || status || ?4 || i, '', 'web', 'manual', status, ?4, 1, 1
     from n, (select 'Pending' as status union all select 'Processing' union all select 'In progress')`,
  )
    .bind(count, userId, serviceId, isTest ? 1 : 0)
    .run();
}

function likes(linkCheck: (typeof services.$inferInsert)["linkCheck"]) {
  return service({ name: "Instagram likes", linkKind: "post", linkCheck });
}

function submit(userId: string, serviceId: number, fields: Record<string, string>) {
  const form = new FormData();
  const shown = { service: String(serviceId), shownPrice: SHOWN_PRICE };
  const all = { quantity: "100", idempotencyKey: `web-${crypto.randomUUID()}`, ...shown, ...fields };
  for (const [name, value] of Object.entries(all)) form.set(name, value);
  return placeFromForm(loadContext(), userId, form);
}

function postForm(cookie: string, fields: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams({ intent: "order", again: "", shownPrice: SHOWN_PRICE, ...fields });
  return SELF.fetch(`${SITE}/dashboard`, { method: "POST", headers: { ...SAME_SITE, Cookie: cookie }, body });
}

function panelAdd(key: string, id: number, link: string): Promise<Response> {
  const body = new URLSearchParams({ key, action: "add", service: String(id), link, quantity: "100" });
  return SELF.fetch(`${SITE}/api/v2`, { method: "POST", body });
}

function createOrder(key: string, id: number, link: string): Promise<Response> {
  return SELF.fetch(`${SITE}/api/v1/create_order`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify({ service: id, link, quantity: 100 }),
  });
}

async function ordersOf(userId: string) {
  return db.select().from(orders).where(eq(orders.userId, userId)).orderBy(desc(orders.id));
}
