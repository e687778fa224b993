import { createExecutionContext, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { createCodes } from "#app/console/stores/code-batch-store.server.ts";
import { orders } from "#app/db/schema.server.ts";
import { credit, readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db, service } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import worker from "#workers/app.ts";

const stalled = stalls();

afterEach(() => stalled.end());

afterAll(async () => expect(await checkLedger(db)).toEqual([]));

test("leads an order with a list too long for its URL back to the form, and places no part of it", async () => {
  const { cookie, userId } = await signedIn();
  const traffic = {
    service: String(await service({ type: "Web Traffic", network: "Website", rate: MICRO })),
    link: "https://example.com/page",
    quantity: "1000",
    country: "US",
    device: "1",
    type_of_traffic: "2",
    referring_url: `https://example.org/?${"r".repeat(900)}`,
  };
  const form = { intent: "order", shownPrice: `${MICRO} per 1000`, idempotencyKey: crypto.randomUUID(), ...traffic };
  const sent = await post(cookie, "/dashboard", form);
  expect(sent.status).toBe(302);
  const path = sent.headers.get("Location") ?? "";
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const page = await (await SELF.fetch(SITE + path, { headers: { Cookie: cookie } })).text();
  expect(page).toContain("Continue order");
  expect(page).not.toContain("Place order");
  const placed = await post(cookie, path, { intent: "order", charge: String(MICRO), idempotencyKey: "k" });
  expect(placed.status).toBe(409);
  expect(await placed.text()).toContain("nothing was ordered");
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toEqual([]);
});

test("leads a mass order back to its lines, with what is missing for it", async () => {
  const { cookie, userId } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: MICRO, note: "test" });
  const draft = `mass-${crypto.randomUUID()}`;
  const pageFor = async (query: Record<string, string>) => {
    const path = `/dashboard/top-up?${new URLSearchParams(query)}`;
    return (await SELF.fetch(SITE + path, { headers: { Cookie: cookie } })).text();
  };
  const wanted = { mass: draft, lines: "45", charge: "4050000" };
  const page = await pageFor(wanted);
  expect(page).toContain("$3.05");
  expect(page).toMatch(
    new RegExp(`href="/dashboard/orders/mass\\?draft=${draft}"[^>]*>Back to your (<!-- -->)?45 lines`),
  );
  expect(await pageFor({ ...wanted, upload: "a-file" })).toContain(`?draft=${draft}&amp;upload=a-file"`);
  const wrongs: Record<string, string>[] = [
    { mass: "mass-1" },
    { lines: "0" },
    { lines: "10000" },
    { charge: "-1" },
    { upload: "../x" },
  ];
  for (const wrong of wrongs) {
    expect(await pageFor({ ...wanted, ...wrong }), JSON.stringify(wrong)).not.toContain("Finish your mass order");
  }
});

test("shows the charge of a subscription without posts, and places it for that", async () => {
  const { cookie, userId } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const serviceId = await service({ type: "Subscriptions", rate: MICRO });
  const query = new URLSearchParams({
    service: String(serviceId),
    username: "name",
    min: "10",
    max: "100",
    delay: "0",
  });
  const path = `/dashboard/top-up?${query}`;
  const page = await (await SELF.fetch(SITE + path, { headers: { Cookie: cookie } })).text();
  expect(page).toContain("Place order · $3.00");
  const placed = await post(cookie, path, { intent: "order", charge: String(3 * MICRO), idempotencyKey: "k" });
  expect(placed.status).toBe(302);
  const [order] = await db.select().from(orders).where(eq(orders.userId, userId));
  expect(order).toMatchObject({ charge: 3 * MICRO, runs: 30 });
});

test("asks about a doubtful link of the order on the way, and places it once that is confirmed", async () => {
  const { cookie, userId } = await signedIn();
  await credit(db, userId, { kind: "topup", amount: 10 * MICRO, note: "test" });
  const link = "https://www.instagram.com/growline/";
  const likes = await service({ name: "Instagram likes", rate: MICRO, linkKind: "post", linkCheck: "warn" });
  const path = `/dashboard/top-up?${new URLSearchParams({ service: String(likes), link, quantity: "1000" })}`;
  const form = { intent: "order", charge: String(MICRO), idempotencyKey: "k" };
  const asked = await post(cookie, path, form);
  expect(asked.status).toBe(409);
  const agreedLink = /name="agreedLink"[^>]* value="([^"]*)"/.exec(await asked.text())?.[1] ?? "";
  expect(agreedLink).toBe(`${likes} ${link}`);
  expect((await post(cookie, path, { ...form, agreedLink })).status).toBe(302);
  expect(await db.select().from(orders).where(eq(orders.userId, userId))).toMatchObject([{ link }]);
});

/** Forms that are sent again, each with the statement whose answer is lost. */
const UNANSWERED = [
  { what: "an order", funds: 10 * MICRO, lost: 'insert into "orders"', isCode: false, next: "order" },
  { what: "a code with an order", funds: 0, lost: 'insert into "redeem_uses"', isCode: true, next: "code" },
  { what: "an order behind its code", funds: 0, lost: 'insert into "orders"', isCode: true, next: "order" },
];

test.for(UNANSWERED)(
  "keeps the key of $what that the database did not answer, and places the order once",
  async ({ funds, lost, isCode, next }) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { cookie, userId } = await signedIn();
    if (funds > 0) await credit(db, userId, { kind: "topup", amount: funds, note: "test" });
    const batch = { name: "Test", amount: 10 * MICRO, count: 1, maxUses: 1, expiresAt: null };
    const made = await createCodes(db, { userId: "staff-1", name: "Grace Admin" }, batch, crypto.randomUUID());
    const [code = ""] = made?.codes ?? [];
    const order = { service: String(await service({ rate: MICRO })), link: "https://x.example/1", quantity: "1000" };
    const path = `/dashboard/top-up?${new URLSearchParams(order)}`;
    const idempotencyKey = `web-${crypto.randomUUID()}`;
    const placing = { charge: String(MICRO), idempotencyKey };
    const withCode = { intent: "code", order: "on", code, ...placing };
    stalled.losingAnswers((statements) => statements.some((text) => text.startsWith(lost)));
    const shown = await postTo(stalled.in(env), cookie, path, isCode ? withCode : { intent: "order", ...placing });
    const html = await shown.text();
    expect(stalled.calls).toBeGreaterThan(0);
    await stalled.end();
    expect([shown.status, shown.headers.get("Retry-After")]).toEqual([503, "10"]);
    expect(html).toMatch(new RegExp(`name="idempotencyKey"[^>]*value="${idempotencyKey}"`));
    if (next === "code") expect(html).toContain(`value="${code}"`);
    const again = await postTo(env, cookie, path, next === "code" ? withCode : { intent: "order", ...placing });
    expect(again.status).toBe(302);
    const placed = await db.select().from(orders).where(eq(orders.userId, userId));
    expect(placed).toMatchObject([{ charge: MICRO, idempotencyKey }]);
    expect(again.headers.get("Location")).toBe(`/dashboard?placed=${placed[0]?.id}`);
    expect(await readBalance(db, userId)).toBe(9 * MICRO);
  },
);

function post(cookie: string, path: string, fields: Record<string, string>): Promise<Response> {
  const headers = { Cookie: cookie, ...SAME_SITE };
  return SELF.fetch(SITE + path, { method: "POST", headers, body: new URLSearchParams(fields), redirect: "manual" });
}

/** Sends a form to the worker with other databases. */
function postTo(bindings: Env, cookie: string, path: string, fields: Record<string, string>): Promise<Response> {
  const headers = { Cookie: cookie, ...SAME_SITE };
  const request = new Request(SITE + path, { method: "POST", headers, body: new URLSearchParams(fields) });
  return worker.fetch(request as Parameters<typeof worker.fetch>[0], bindings, createExecutionContext());
}
