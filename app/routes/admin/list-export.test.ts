import { SELF } from "cloudflare:test";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { cancellations, customerNotes, refills, savedReplies } from "#app/db/schema.server.ts";
import { NO_EFFECTS } from "#app/support/protocol/reply-effects.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { placeOrders } from "#tests/workerd/place-orders.ts";
import { type SignedInAccount, storedSignIn } from "#tests/workerd/signed-in-account.ts";

const ADMIN = await storedSignIn("admin");

test("exports the lists of the console to admins and to nobody else", async () => {
  const { userId, orderIds, providerId } = await placeOrders([
    "https://instagram.com/p/1",
    "https://instagram.com/p/2",
  ]);
  const [first = 0, second = 0] = orderIds;
  const waiting = { userId, fulfillment: "manual", createdAt: 1, updatedAt: 1 } as const;
  await db.insert(refills).values({ orderId: first, ...waiting });
  await db.insert(cancellations).values({ orderId: second, ...waiting });
  await db.insert(customerNotes).values({ userId, body: "A note", authorName: "Ada", createdAt: 1 });
  const reply = {
    shortcut: "hi",
    body: "=cmd()",
    effects: { ...NO_EFFECTS, tags: ["vip"] },
    updatedBy: "u",
    updatedAt: 1,
  };
  await db.insert(savedReplies).values(reply);
  const lists: Record<string, (rows: Record<string, string>[]) => void> = {
    [`entries?customer=${userId}`]: (rows) =>
      expect(rows.map(({ kind }) => kind)).toEqual(["charge", "charge", "topup"]),
    [`entries?customer=${userId}&entries-sort=created`]: ([row]) =>
      expect(row).toMatchObject({ kind: "topup", amount: "2.00" }),
    "entries?customer=nobody": (rows) => expect(rows).toEqual([]),
    [`payments?customer=${userId}`]: (rows) => expect(rows).toEqual([]),
    providers: (rows) =>
      expect(rows).toContainEqual(expect.objectContaining({ provider: String(providerId), services: "1" })),
    refills: (rows) => expect(rows).toMatchObject([{ order: String(first), status: "Pending" }]),
    cancellations: (rows) => expect(rows).toMatchObject([{ order: String(second), remains: "1000" }]),
    replies: (rows) => expect(rows).toMatchObject([{ shortcut: "/hi", text: "'=cmd()", tags: "vip" }]),
    customers: (rows) =>
      expect(rows).toContainEqual(expect.objectContaining({ customer: userId, owed: "0.00", spent_30_days: "0.00" })),
  };
  const [agent, stranger] = [await storedSignIn("agent"), await storedSignIn()];
  for (const [path, check] of Object.entries(lists)) {
    const answer = await open(ADMIN, path);
    expect([path, answer.status]).toEqual([path, 200]);
    const text = await answer.text();
    expect(text).not.toContain("A note");
    check(parse(text, { bom: true, columns: true }));
    for (const other of [agent, stranger]) expect((await open(other, path)).status, path).toBe(404);
  }
  expect((await open(ADMIN, "constructor")).status).toBe(404);
});

async function open({ cookie }: SignedInAccount, list: string): Promise<Response> {
  return SELF.fetch(`${SITE}/admin/exports/${list}`, { headers: { Cookie: cookie } });
}
