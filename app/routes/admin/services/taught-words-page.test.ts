import { SELF } from "cloudflare:test";
import { desc, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { STEP_UP_MS } from "#app/accounts/step-up/recent-proof.server.ts";
import { auditLog, authSessions, orders, providerLog, providerWords } from "#app/db/schema.server.ts";
import { noteUnread } from "#app/orders/providers/dialect.server.ts";
import { MICRO } from "#app/product.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, placeOrders } from "#tests/workerd/place-orders.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";

/** Admins teach words on a provider's page, as a browser without scripts does it. */

type Who = Awaited<ReturnType<typeof signedIn>>;
const GRACE = await signedIn("admin", "Grace Admin");
const ADA = await signedIn("admin", "Ada Admin");
const MEANING = { kind: "state", key: "allset", meaning: "Partial" };

test("shows an unread word with its raw answer as text, previews it and saves it, and undoes it", async () => {
  const { path, orderId, providerId } = await unreadOrder({ note: "<b>bold</b>" });
  const page = await open(GRACE, path);
  expect(page).not.toContain("<b>bold</b>");
  expect(textOf(page)).toContain("1 unknown word in its answers");
  expect(textOf(page)).toContain(`All set Order status seen once`);
  expect(page).toContain(`/admin/orders/${orderId}`);
  expect(page).toContain("&lt;b&gt;bold&lt;/b&gt;");
  const previewed = await post(GRACE, path, { intent: "preview-word", ...MEANING });
  expect(previewed.status).toBe(200);
  expect(textOf(previewed.html)).toContain("It ends 1 open order and refunds $0.45.");
  expect(textOf(previewed.html)).toContain("Saving moves no money");
  const digest = digestIn(previewed.html);
  expect((await post(GRACE, path, { intent: "teach-word", ...MEANING, digest })).status).toBe(302);
  const again = await post(ADA, path, { intent: "teach-word", ...MEANING, digest });
  expect(again.status).toBe(409);
  expect(textOf(again.html)).toContain("This was taught meanwhile");
  const taught = textOf(await open(GRACE, path));
  expect(taught).toContain("All set means Partial");
  expect(taught).toContain("money that was refunded stays refunded");
  expect(taught).toContain("Nothing unknown");
  expect(taught).toContain("taught that “All set” means “Partial” at");
  const entry = await open(ADA, `/admin/audit/${await lastEntryId()}`);
  expect(entry).toContain(`${path}#taught`);
  expect(textOf(entry)).toContain("refunded money stays refunded");
  const [word] = await db.select().from(providerWords).where(eq(providerWords.providerId, providerId));
  const undo = { intent: "undo-word", word: String(word?.id) };
  expect((await post(ADA, path, undo)).status).toBe(302);
  expect((await post(GRACE, path, undo)).status).toBe(409);
  expect(textOf(await open(GRACE, path))).toContain("Ada Admin undid the rule that “All set” means “Partial” at");
});

test("leads to an unknown word from the day's page, the menu, the list of providers and the order's page", async () => {
  const shownIn = async () => /Unknown words from providers (\d+)/.exec(textOf(await open(GRACE, "/admin/today")))?.[1];
  const before = Number(await shownIn());
  const { path, orderId, providerId } = await unreadOrder();
  // Nothing can be taught about a shape, so it waits for nobody.
  await noteUnread(db, providerId, { kind: "shape", word: "shape", orderId });
  expect(await shownIn()).toBe(String(before + 1));
  const listed = await open(GRACE, "/admin/providers");
  expect(textOf(listed)).toContain("1 unknown word ");
  expect(listed).toContain(`href="${path}#unread"`);
  const order = await open(GRACE, `/admin/orders/${orderId}`);
  expect(textOf(order)).toContain(
    "We don't know the status that the provider reports for it. Say what its status means",
  );
  expect(order).toContain(`href="${path}#unread"`);
  const asAgent = await open(await signedIn("agent"), `/admin/orders/${orderId}`);
  expect(textOf(asAgent)).toContain("We don't know the status that the provider reports for it.");
  expect(asAgent).not.toContain("/admin/providers");

  const digest = digestIn((await post(GRACE, path, { intent: "preview-word", ...MEANING })).html);
  await post(GRACE, path, { intent: "teach-word", ...MEANING, digest });
  expect(await shownIn()).toBe(String(before));
  expect(await open(GRACE, "/admin/providers")).not.toContain(`href="${path}#unread"`);
});

test("asks for a meaning, and refuses one that isn't offered", async () => {
  const { path } = await unreadOrder();
  const empty = await post(GRACE, path, { intent: "preview-word", ...MEANING, meaning: "" });
  expect([empty.status, textOf(empty.html)]).toEqual([400, expect.stringContaining("Choose what it means")]);
  expect((await post(GRACE, path, { intent: "preview-word", ...MEANING, meaning: "Moon" })).status).toBe(409);
  expect((await post(GRACE, path, { intent: "preview-word", ...MEANING, key: "other" })).status).toBe(409);
});

test("asks for the recent proof before a large rule is stored, and before it is applied to the rest", async () => {
  const { path, orderId, providerId } = await unreadOrder();
  await db
    .update(orders)
    .set({ charge: 300 * MICRO })
    .where(eq(orders.id, orderId));
  const previewed = await post(GRACE, path, { intent: "preview-word", ...MEANING });
  expect(textOf(previewed.html)).toContain(`Try rule on order ${orderId}`);
  const teach = { intent: "teach-word", ...MEANING, digest: digestIn(previewed.html) };
  const words = () => db.select().from(providerWords).where(eq(providerWords.providerId, providerId));
  await age(GRACE);
  const unproven = await post(GRACE, path, teach);
  expect([unproven.status, unproven.location]).toEqual([302, expect.stringContaining("/auth/verify?")]);
  expect(await words()).toEqual([]);
  await prove(GRACE);
  expect((await post(GRACE, path, teach)).location).toBe(path);
  const [word] = await words();
  expect(word).toMatchObject({ onlyOrderId: orderId });
  const waiting = await open(GRACE, path);
  expect(textOf(waiting)).toContain(`Tried on order ${orderId} . Its provider hasn't been asked about it since.`);
  expect(waiting).not.toContain("apply-word");
  const change = { status: "Partial", refunded: 150 * MICRO, unreadableSince: 0 } as const;
  await db.update(orders).set(change).where(eq(orders.id, orderId));
  const tried = await open(GRACE, path);
  expect(textOf(tried)).toContain("It ended as Partial, and $150.00 was refunded.");
  const apply = { intent: "apply-word", word: String(word?.id), digest: digestIn(tried) };
  await age(GRACE);
  expect((await post(GRACE, path, apply)).location).toContain("/auth/verify?");
  expect((await words())[0]).toMatchObject({ onlyOrderId: orderId });
  await prove(GRACE);
  expect((await post(GRACE, path, apply)).location).toBe(path);
  expect((await words())[0]).toMatchObject({ onlyOrderId: null });
  expect(textOf(await open(GRACE, path))).toContain(
    "Grace Admin applied the rule that “All set” means “Partial” to all orders",
  );
});

test("lets neither agents nor customers teach, apply or undo a word", async () => {
  const { path, providerId } = await unreadOrder();
  const digest = digestIn((await post(GRACE, path, { intent: "preview-word", ...MEANING })).html);
  for (const role of ["agent", "customer"] as const) {
    const who = await signedIn(role);
    for (const intent of ["preview-word", "teach-word", "apply-word", "undo-word"]) {
      expect((await post(who, path, { intent, ...MEANING, digest, word: "1" })).status, intent).toBe(404);
    }
  }
  expect(await db.$count(providerWords, eq(providerWords.providerId, providerId))).toBe(0);
});

/** Places an order whose provider says a word that nobody knows. */
async function unreadOrder(more: Record<string, unknown> = {}) {
  const { providerId, orderIds } = await placeOrders(["https://a.example/1"]);
  const [orderId = 0] = orderIds;
  await acceptOrders(orderIds);
  await db.update(orders).set({ unreadableSince: 1 }).where(eq(orders.id, orderId));
  const response = JSON.stringify({ status: "All set", remains: "500", ...more });
  await db.insert(providerLog).values({ providerId, orderId, action: "status", response, createdAt: 1 });
  await noteUnread(db, providerId, { kind: "state", word: "All set", orderId });
  return { providerId, orderId, path: `/admin/providers/${providerId}` };
}

async function open(who: Who, path: string): Promise<string> {
  const response = await SELF.fetch(SITE + path, { headers: { Cookie: who.cookie } });
  expect(response.status).toBe(200);
  return response.text();
}

async function post(who: Who, path: string, fields: Record<string, string>) {
  const response = await SELF.fetch(SITE + path, {
    method: "POST",
    headers: { ...SAME_SITE, Cookie: who.cookie },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
  const location = response.headers.get("Location") ?? "";
  return { status: response.status, html: await response.text(), location };
}

function digestIn(html: string): string {
  return /name="digest" value="(\w+)"/.exec(html)?.[1] ?? "";
}

async function lastEntryId(): Promise<number> {
  const [entry] = await db.select({ id: auditLog.id }).from(auditLog).orderBy(desc(auditLog.id)).limit(1);
  return entry?.id ?? 0;
}

/** Moves the session's last proof out of the time that the guard allows. */
async function age(who: Who): Promise<void> {
  await setVerified(who, Date.now() - STEP_UP_MS - 1000);
}

async function prove(who: Who): Promise<void> {
  await setVerified(who, Date.now());
}

async function setVerified({ sessionId }: Who, verifiedAt: number): Promise<void> {
  await db.update(authSessions).set({ verifiedAt }).where(eq(authSessions.id, sessionId));
}

/** Returns the text of a page with single spaces. */
function textOf(html: string): string {
  return html
    .replace(/<script[\s\S]*?<\/script>/g, " ")
    .replace(/<!-- -->/g, "")
    .replace(/<[^>]*>/g, " ")
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replace(/\s+/g, " ");
}
