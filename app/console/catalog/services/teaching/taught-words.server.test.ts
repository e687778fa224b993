import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { auditLog, orders, providerLog, providerWords, refills, unreadAnswers } from "#app/db/schema.server.ts";
import { noteUnread, readerOf } from "#app/orders/providers/dialect.server.ts";
import { statusOf } from "#app/orders/providers/reading/status-report.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { MICRO } from "#app/product.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, copyOrder, isOneOf, placeOrders, readOrder } from "#tests/workerd/place-orders.ts";
import { ORDERS_READ, previewRule, TRIAL_ORDERS } from "./rule-preview.server.ts";
import { type AskedRule, applyToRest, previewUnread, teachWord, undoWord } from "./taught-words.server.ts";
import { readSpeaker, readTeaching } from "./teaching-page.server.ts";

const STAFF = { userId: "staff-teach", name: "Grace Admin" };
/** Each order costs $0.90. */
const HALF_CHARGE = 450_000;

test("previews a word on the kept answers of open orders, and changes nothing", async () => {
  const { providerId, userId, orderIds } = await unreadableOrders([
    { status: "All set", remains: "500" },
    { status: "all-set", remains: 0 },
    { status: "Moon phase", remains: "500" },
    { status: "All set" },
    { status: "All set", remains: "500" },
    "missing",
  ]);
  const [first = 0, , , , held = 0] = orderIds;
  await db.update(orders).set({ fulfillment: "held", heldFor: "unreadable" }).where(eq(orders.id, held));
  // What "Compare now" logs is the whole answer.
  const whole = JSON.stringify({ [`there-${first}`]: { status: "All set", remains: "250" } });
  await logAnswer(providerId, first, whole, 200);
  await note(providerId, "All set", first);
  const before = await Promise.all(orderIds.map(readOrder));
  expect(await previewOf(providerId, { meaning: "Completed" })).toMatchObject({
    ...{ closes: 4, refund: 0, goesOn: 0, staysHeld: 0, isCut: false, tryOn: null, next: [] },
    rule: { kind: "state", key: "allset", word: "All set", meaning: "Completed" },
  });
  expect(await previewOf(providerId, { meaning: "Partial" })).toMatchObject({
    // A part of an order with nothing remaining, or without a word about it, is for a person.
    ...{ closes: 2, refund: HALF_CHARGE / 2 + HALF_CHARGE, staysHeld: 2, goesOn: 0 },
  });
  expect(await previewOf(providerId, { meaning: "In progress" })).toMatchObject({ closes: 0, refund: 0, goesOn: 4 });
  expect(await previewOf(providerId, { meaning: "Moon" })).toBeNull();
  expect(await previewOf(providerId, { key: "moonphase", meaning: "Completed" })).toBeNull();
  expect(await Promise.all(orderIds.map(readOrder))).toEqual(before);
  expect(await readBalance(db, userId)).toBe(6 * MICRO - 6 * 900_000);
  expect(await db.$count(providerWords, eq(providerWords.providerId, providerId))).toBe(0);
});

test("saves a rule with its audit entry, and moves no order and no money", async () => {
  const { providerId, userId, orderIds } = await unreadableOrders([{ status: "All set", remains: "500" }]);
  const [orderId = 0] = orderIds;
  await note(providerId, "All set", orderId);
  const before = await readOrder(orderId);
  expect(await teach(providerId, { meaning: "Canceled" })).toMatchObject({ ok: true, onlyOrderId: null });
  expect(await readOrder(orderId)).toEqual(before);
  expect(await readBalance(db, userId)).toBe(100_000);
  expect(await db.$count(unreadAnswers, eq(unreadAnswers.providerId, providerId))).toBe(0);
  expect(statusOf("ALL SET", readerOf(await speaker(providerId)))).toBe("Canceled");
  expect(await entriesOf(providerId)).toEqual([
    ["provider.teach", { kind: "state", word: "All set", meaning: "Canceled", closes: 1, refund: HALF_CHARGE }],
  ]);
  // The word is noted again by what was asked before it was taught. It stays taught.
  await note(providerId, "All set", orderId);
  expect(await previewOf(providerId, { meaning: "Completed" })).toBeNull();
  expect((await readTeaching(db, providerId))?.unread).toEqual([]);
});

test("saves a rule once when two admins do it at once", async () => {
  const { providerId, orderIds } = await unreadableOrders([{ status: "All set", remains: "500" }]);
  await note(providerId, "All set", orderIds[0] ?? null);
  const results = await Promise.all([
    teach(providerId, { meaning: "Completed" }),
    teach(providerId, { meaning: "Completed" }),
  ]);
  expect(results.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(await teach(providerId, { meaning: "Completed" })).toMatchObject({ ok: false, reason: "gone" });
  expect(await entriesOf(providerId)).toHaveLength(1);
});

test("saves nothing if what it would do is not what was shown", async () => {
  const { providerId, orderIds } = await unreadableOrders([
    { status: "All set", remains: "500" },
    { status: "All set", remains: "500" },
  ]);
  const [first = 0, other = 0] = orderIds;
  await note(providerId, "All set", first);
  const shown = await previewOf(providerId, { meaning: "Partial" });
  await logAnswer(providerId, other, JSON.stringify({ status: "All set", remains: "900" }));
  const stale = await teach(providerId, { meaning: "Partial" }, shown?.digest);
  expect(stale).toMatchObject({ ok: false, reason: "changed", preview: { refund: HALF_CHARGE + 810_000 } });
  const ofOther = await teach(providerId, { meaning: "Completed" }, stale.ok ? "" : stale.preview?.digest);
  expect(ofOther).toMatchObject({ ok: false, reason: "changed" });
  expect(await entriesOf(providerId)).toEqual([]);
  expect(await db.$count(providerWords, eq(providerWords.providerId, providerId))).toBe(0);
});

test("tries a rule that closes many orders on one of them first, after a proof, and then applies it to the rest", async () => {
  const entries = Array.from({ length: TRIAL_ORDERS + 1 }, (_, at) => ({ status: "All set", remains: 900 - at }));
  const { providerId, userId, orderIds } = await unreadableOrders(entries);
  await note(providerId, "All set", orderIds[0] ?? null);
  const last = orderIds.at(-1) ?? 0;
  const balance = await readBalance(db, userId);
  const refused = teach(providerId, { meaning: "Partial" }, undefined, () => {
    throw new Error("no proof");
  });
  await expect(refused).rejects.toThrow("no proof");
  expect(await db.$count(providerWords, eq(providerWords.providerId, providerId))).toBe(0);
  // The smallest refund.
  expect(await teach(providerId, { meaning: "Partial" })).toMatchObject({ ok: true, onlyOrderId: last });
  expect(statusOf("All set", readerOf(await speaker(providerId)))).toBeNull();
  const [word] = (await readTeaching(db, providerId))?.taught ?? [];
  const { id: wordId = 0, trial } = word ?? {};
  expect(trial).toMatchObject({ orderId: last, outcome: "waiting", rest: { closes: TRIAL_ORDERS + 1 } });
  const digest = trial?.rest.digest ?? "";
  expect(await applyTo(providerId, wordId, digest)).toEqual({ ok: false, reason: "not_tried" });
  await db.update(orders).set({ status: "Partial", unreadableSince: 0 }).where(eq(orders.id, last));
  expect(await applyTo(providerId, wordId, digest)).toEqual({ ok: false, reason: "changed" });
  const [tried] = (await readTeaching(db, providerId))?.taught ?? [];
  expect(tried?.trial).toMatchObject({ outcome: "ended", status: "Partial", rest: { closes: TRIAL_ORDERS } });
  await note(providerId, "All set", orderIds[1] ?? null);
  const results = await Promise.all([
    applyTo(providerId, wordId, tried?.trial?.rest.digest ?? ""),
    applyTo(providerId, wordId, tried?.trial?.rest.digest ?? ""),
  ]);
  expect(results.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(statusOf("All set", readerOf(await speaker(providerId)))).toBe("Partial");
  expect((await readTeaching(db, providerId))?.unread).toEqual([]);
  expect((await entriesOf(providerId)).map(([action, { closes }]) => [action, closes])).toEqual([
    ["provider.teach", TRIAL_ORDERS + 1],
    ["provider.apply_word", TRIAL_ORDERS],
  ]);
  expect(await readBalance(db, userId)).toBe(balance);
  expect(await db.$count(orders, and(isOneOf(orderIds), eq(orders.status, "Pending")))).toBe(TRIAL_ORDERS);
});

test("tries a rule on one order if it refunds much, or if more is unreadable than a preview reads", async () => {
  const { providerId, orderIds } = await unreadableOrders([
    { status: "All set", remains: "1000" },
    { status: "All set", remains: "10" },
  ]);
  const [dear = 0, cheap = 0] = orderIds;
  await note(providerId, "All set", dear);
  await db
    .update(orders)
    .set({ charge: 101 * MICRO })
    .where(eq(orders.id, dear));
  expect(await previewOf(providerId, { meaning: "Partial" })).toMatchObject({ closes: 2, tryOn: cheap });
  expect(await previewOf(providerId, { meaning: "Completed" })).toMatchObject({ closes: 2, tryOn: null });
  const many = await unreadableOrders(
    Array.from({ length: ORDERS_READ + 1 }, () => ({ status: "All set", remains: "1" })),
  );
  await note(many.providerId, "All set", null);
  const preview = await previewOf(many.providerId, { meaning: "In progress" });
  expect(preview).toMatchObject({ closes: 0, goesOn: ORDERS_READ, isCut: true, tryOn: expect.any(Number) });
});

test("undoes a rule once, and takes back no refund", async () => {
  const { providerId, userId, orderIds } = await unreadableOrders([{ status: "All set", remains: "500" }]);
  const [orderId = 0] = orderIds;
  await note(providerId, "All set", orderId);
  await teach(providerId, { meaning: "Partial" });
  await db.update(orders).set({ status: "Partial", refunded: HALF_CHARGE }).where(eq(orders.id, orderId));
  const [word] = (await readTeaching(db, providerId))?.taught ?? [];
  const wordId = word?.id ?? 0;
  expect(await undoWord(db, STAFF, providerId + 1, wordId)).toEqual({ ok: false, reason: "gone" });
  const results = await Promise.all([undoWord(db, STAFF, providerId, wordId), undoWord(db, STAFF, providerId, wordId)]);
  expect(results.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(statusOf("All set", readerOf(await speaker(providerId)))).toBeNull();
  expect(await readOrder(orderId)).toMatchObject({ status: "Partial", refunded: HALF_CHARGE });
  expect(await readBalance(db, userId)).toBe(100_000);
  const detail = { kind: "state", word: "All set", meaning: "Partial" };
  expect((await entriesOf(providerId)).slice(1)).toEqual([["provider.undo_word", detail]]);
  // The next answer lists it, and it can be taught to mean something else.
  await note(providerId, "All set", orderId);
  expect(await teach(providerId, { meaning: "Completed" })).toMatchObject({ ok: true });
});

test("says what an error text does to future orders, and leaves held orders to a person", async () => {
  const { providerId, orderIds } = await placeOrders(["https://a.example/1", "https://a.example/2"]);
  await db.update(orders).set({ fulfillment: "held", heldFor: "unclear_answer" }).where(isOneOf(orderIds));
  const [one = 0, other = 0] = orderIds;
  const error = 'Moon of "https://a.example/1" is not full, code 17';
  await logAnswer(providerId, one, JSON.stringify({ error }), 200, "add");
  await logAnswer(providerId, other, JSON.stringify({ error: "Sun is up" }), 200, "add");
  await noteUnread(db, providerId, { kind: "error", word: error, orderId: one });
  const [unread] = (await readTeaching(db, providerId))?.unread ?? [];
  expect(unread).toMatchObject({ kind: "error", answer: JSON.stringify({ error }) });
  const asked = { kind: "error", key: unread?.key ?? "", meaning: "target" } as const;
  const preview = await previewOf(providerId, asked);
  expect(preview).toMatchObject({ closes: 0, refund: 0, staysHeld: 1, tryOn: null });
  expect(preview?.next).toEqual([{ call: "add", says: "The order is canceled and refunded." }]);
  expect(await teach(providerId, asked)).toMatchObject({ ok: true });
  for (const id of orderIds) expect(await readOrder(id)).toMatchObject({ fulfillment: "held", status: "Pending" });
});

test.each([
  ["status", "The order stays as it is, is asked about again, and is held for you if the answer stays so."],
  ["refill_status", "The refill stays as it is, is asked about again, and is held for you if the answer stays so."],
] as const)("says what an error in place of a state does: %s", async (call, stays) => {
  const { providerId, orderIds } = await placeOrders(["https://a.example/1"]);
  const [orderId = 0] = orderIds;
  await logAnswer(providerId, orderId, JSON.stringify({ order: 17 }), 200, "add");
  await logAnswer(providerId, orderId, JSON.stringify({ error: "Moon 17 is not full" }), null, call);
  await noteUnread(db, providerId, { kind: "error", word: "Moon 17 is not full", orderId });
  const asked = { kind: "error", key: "moon # is not full" } as const;
  expect((await previewOf(providerId, { ...asked, meaning: "target" }))?.next).toEqual([
    { call: "add", says: "The order is canceled and refunded." },
    { call, says: stays },
  ]);
  expect((await previewOf(providerId, { ...asked, meaning: "busy" }))?.next[1]).toEqual({
    call,
    says: expect.stringMatching(/^If it answers a whole call, the provider is asked again later\./),
  });
});

test("previews a word of a refill on the kept answers of open refills", async () => {
  const { providerId, userId, orderIds } = await placeOrders(["https://a.example/1"]);
  const [orderId = 0] = orderIds;
  const accepted = { fulfillment: "accepted", providerRefillId: "r-1", unreadableSince: 1 } as const;
  await db.insert(refills).values({ orderId, userId, providerId, ...accepted, createdAt: 1, updatedAt: 1 });
  await logAnswer(providerId, orderId, JSON.stringify({ status: "Topped" }), null, "refill_status");
  await noteUnread(db, providerId, { kind: "refill_state", word: "Topped", orderId });
  const asked = { kind: "refill_state", key: "topped" } as const;
  expect(await previewOf(providerId, { ...asked, meaning: "Completed" })).toMatchObject({ closes: 1, goesOn: 0 });
  expect(await previewOf(providerId, { ...asked, meaning: "In progress" })).toMatchObject({ closes: 0, goesOn: 1 });
  expect(await previewOf(providerId, { ...asked, meaning: "Partial" })).toBeNull();
});

test("lists a bounded number of unread words, the newest first, with the answer about the last order", async () => {
  const { providerId, orderIds } = await unreadableOrders([{ status: "Word 39", remains: "5" }]);
  const [orderId = 0] = orderIds;
  for (let n = 0; n < 40; n++) {
    const row = { providerId, kind: "state", key: `word${n}`, word: `Word ${n}`, orderId } as const;
    await db.insert(unreadAnswers).values({ ...row, firstSeenAt: n + 1, lastSeenAt: n + 1 });
  }
  const teaching = await readTeaching(db, providerId);
  expect(teaching?.unread).toHaveLength(30);
  expect(teaching?.hasMoreUnread).toBe(true);
  expect(teaching?.unread[0]).toMatchObject({ word: "Word 39", answer: '{"status":"Word 39","remains":"5"}' });
});

test("reads no order that ended or is another provider's, and each log of an open one once", async () => {
  const { providerId, orderIds } = await unreadableOrders([{ status: "All set", remains: "5" }]);
  const [orderId = 0] = orderIds;
  await note(providerId, "All set", orderId);
  const others = await placeOrders(["https://a.example/2"]);
  const ended = await copyOrder(orderId, 3000);
  await db.update(orders).set({ status: "Completed" }).where(isOneOf(ended));
  const held = await copyOrder(others.orderIds[0] ?? 0, 3000);
  await db.update(orders).set({ fulfillment: "accepted" }).where(isOneOf(held));
  const speaking = await speaker(providerId);
  const { database, byStatement } = countedDatabase(env.DB);
  const counted = connect(database);
  for (const kind of ["state", "refill_state", "error"] as const) {
    const rule = { kind, key: "allset", word: "All set", meaning: "Completed" };
    await previewRule(counted, speaking, rule);
  }
  await readTeaching(counted, providerId);
  for (const [statement, { rowsRead }] of byStatement) expect(rowsRead, statement).toBeLessThan(30);
});

/** Places orders that their provider accepted, each with a status that could not be read. */
async function unreadableOrders(entries: unknown[]) {
  const placed = await placeOrders(entries.map((_, at) => `https://a.example/${at}`));
  const { providerId, orderIds } = placed;
  await acceptOrders(orderIds);
  await db.update(orders).set({ unreadableSince: 1 }).where(isOneOf(orderIds));
  const rows = entries.map((entry, at) => ({
    ...{ providerId, orderId: orderIds[at] ?? 0, action: "status" as const, createdAt: 1 },
    response: typeof entry === "string" ? entry : JSON.stringify(entry),
  }));
  for (let at = 0; at < rows.length; at += 15) await db.insert(providerLog).values(rows.slice(at, at + 15));
  return placed;
}

async function logAnswer(
  providerId: number,
  orderId: number,
  response: string,
  httpStatus: number | null = null,
  action: "status" | "add" | "refill_status" = "status",
) {
  await db.insert(providerLog).values({ providerId, orderId, action, httpStatus, response, createdAt: 1 });
}

async function note(providerId: number, word: string, orderId: number | null) {
  await noteUnread(db, providerId, { kind: "state", word, orderId });
}

async function speaker(providerId: number) {
  const found = await readSpeaker(db, providerId);
  if (!found) throw new Error("provider not found");
  return found;
}

const WORD = { kind: "state", key: "allset" } as const;
type Asked = Partial<AskedRule> & Pick<AskedRule, "meaning">;

async function previewOf(providerId: number, asked: Asked) {
  return previewUnread(db, await speaker(providerId), { ...WORD, ...asked });
}

async function teach(providerId: number, asked: Asked, digest?: string, requireProof = () => {}) {
  const shown = digest ?? (await previewOf(providerId, asked))?.digest ?? "";
  return teachWord(db, STAFF, await speaker(providerId), { ...WORD, ...asked, digest: shown }, requireProof);
}

async function applyTo(providerId: number, wordId: number, digest: string) {
  return applyToRest(db, STAFF, await speaker(providerId), { wordId, digest });
}

async function entriesOf(providerId: number): Promise<[string, Record<string, unknown>][]> {
  const isOfProvider = and(eq(auditLog.subjectType, "provider"), eq(auditLog.subjectId, String(providerId)));
  const entries = await db.select().from(auditLog).where(isOfProvider).orderBy(auditLog.id);
  return entries.map(({ action, detail }) => [action, detail]);
}
