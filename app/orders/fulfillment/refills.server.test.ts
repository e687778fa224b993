import { env } from "cloudflare:workers";
import { eq, inArray } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decideRefill } from "#app/console/orders/decisions/refill-cancellation-queue.server.ts";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { connect } from "#app/db/db.server.ts";
import { orders, providerLog, providers, refills, services } from "#app/db/schema.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { acceptOrders, idThere, placeOrders, readOrder, readProvider } from "#tests/workerd/place-orders.ts";
import { linkAt, linkTo } from "#tests/workerd/provider-links.ts";
import { losingUpdate, refuseUpdates } from "#tests/workerd/refused-updates.ts";
import { providerReplies } from "#tests/workerd/sandbox-service.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { sandboxLink } from "#tools/stand-ins/sandbox-faults.ts";
import { syncHeldRefills, syncRefills } from "./refill-status-sync.server.ts";
import { holdLostRefills, type Refill, readRefills, requestRefill, sendRefills } from "./refills.server.ts";

const STAFF = { userId: "staff-1", name: "Grace Admin" };

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));

afterEach(() => void vi.restoreAllMocks());

test("refills only a delivered order, and only for its owner", async () => {
  const { userId, orderIds } = await delivered(2);
  const [open = 0, done = 0] = orderIds;
  await db.update(orders).set({ status: "In progress" }).where(eq(orders.id, open));
  const other = await delivered(1);
  const notFound = { ok: false, reason: "order_not_found" };
  expect(await requestRefill(db, { userId: other.userId, isTest: false }, done)).toEqual(notFound);
  expect(await requestRefill(db, { userId, isTest: true }, done)).toEqual(notFound);
  expect(await requestRefill(db, { userId, isTest: false }, 2 ** 31 - 1)).toEqual(notFound);
  const who = { userId, isTest: false };
  expect(await requestRefill(db, who, open)).toEqual({ ok: false, reason: "not_refillable" });
  const requested = await requestRefill(db, who, done);
  expect(requested).toEqual({ ok: true, refillId: expect.any(Number) });
  // A client whose answer was lost learns its id this way.
  expect(await requestRefill(db, who, done)).toEqual(requested);
  await db
    .update(refills)
    .set({ createdAt: Date.now() - 10 * 60_000 })
    .where(eq(refills.orderId, done));
  expect(await requestRefill(db, who, done)).toEqual({ ok: false, reason: "refill_open" });
  await db
    .update(services)
    .set({ refill: false })
    .where(eq(services.id, (await readOrder(done)).serviceId));
  await db.update(refills).set({ status: "Completed" }).where(eq(refills.orderId, done));
  expect(await requestRefill(db, who, done)).toEqual({ ok: false, reason: "not_refillable" });
  expect(await refillsOf(orderIds)).toMatchObject([{ orderId: done }]);
});

test("refills a test order before its end, and sends it to no provider", async () => {
  const { userId, orderIds } = await delivered(1);
  const test = { isTest: true, status: "Pending", providerOrderId: null } as const;
  await db.update(orders).set(test).where(inArray(orders.id, orderIds));
  const requested = await requestRefill(db, { userId, isTest: true }, orderIds[0] ?? 0);
  expect(requested).toMatchObject({ ok: true });
  expect(await refillsOf(orderIds)).toMatchObject([{ fulfillment: "manual", status: "Pending" }]);
});

test("reads the named refills of their owner, of live or of test orders", async () => {
  const { userId, orderIds } = await delivered(3);
  const ids = await requestAll(userId, orderIds);
  await db
    .update(orders)
    .set({ isTest: true })
    .where(eq(orders.id, orderIds[2] ?? 0));
  const other = await delivered(1);
  const [theirs = 0] = await requestAll(other.userId, other.orderIds);
  const read = async (isTest: boolean, some: number[]) =>
    (await readRefills(db, { userId, isTest }, some)).map(({ id }) => id);
  expect(await read(false, [...ids, theirs])).toEqual(ids.slice(0, 2));
  expect(await read(false, ids.slice(1, 2))).toEqual(ids.slice(1, 2));
  expect(await read(true, [...ids, theirs])).toEqual(ids.slice(2));
});

test("holds a refill whose call was cut off, once its lease has ended", async () => {
  const { userId, orderIds } = await delivered(3);
  const [lost = 0, running = 0, queued = 0] = await requestAll(userId, orderIds);
  await change(lost, { fulfillment: "submitting", leaseUntil: 1 });
  await change(running, { fulfillment: "submitting", leaseUntil: Date.now() + 60_000 });
  await change(queued, { leaseUntil: 1 });
  await holdLostRefills(db);
  const states = (await refillsOf(orderIds)).map(({ fulfillment }) => fulfillment);
  expect(states).toEqual(["held", "submitting", "queued"]);
});

test("queues a refill again whose claim was carried out without an answer, and sends it once", async () => {
  const { providerId, userId, orderIds } = await delivered(1);
  await requestAll(userId, orderIds);
  const calls = providerReplies(() => Response.json({ refill: 7 }));
  const provider = await readProvider(providerId);
  const stalled = stalls();
  // The list of due refills comes first, then the claim.
  stalled.losingAnswers((statements) => statements.some((text) => text.startsWith("update")));
  void stalled.called(2).then(() => stalled.end());
  const standing = connect(stalled.on(env.DB), undefined, stalled.wait);
  await sendRefills(linkTo(provider, standing)).catch(() => {});
  await stalled.end();
  expect(await refillsOf(orderIds)).toMatchObject([{ fulfillment: "queued" }]);
  expect(calls()).toEqual([]);
  await sendRefills(linkTo(provider));
  expect(await refillsOf(orderIds)).toMatchObject([{ fulfillment: "accepted" }]);
  expect(calls()).toHaveLength(1);
});

test("sends each due refill once, to its own provider, oldest first and twenty in a round", async () => {
  const { providerId, userId, orderIds } = await delivered(22);
  const [waiting = 0, ...rest] = await requestAll(userId, orderIds);
  await change(waiting, { leaseUntil: Date.now() + HOUR_MS });
  const elsewhere = await delivered(1);
  await requestAll(elsewhere.userId, elsewhere.orderIds);
  let id = 100;
  const calls = providerReplies(() => Response.json({ refill: ++id }));
  const provider = await readProvider(providerId);
  const sent = await Promise.all([sendRefills(linkTo(provider)), sendRefills(linkTo(provider))]);
  expect(sent).toEqual([20, 20]);
  const expected = orderIds.slice(1).map((order) => ({ action: "refill", order: idThere(order) }));
  expect(sorted(calls())).toEqual(sorted(expected.slice(0, 20)));
  expect(await sendRefills(linkTo(provider))).toBe(1);
  expect(calls().slice(20)).toEqual(expected.slice(20));
  expect(await sendRefills(linkTo(provider))).toBe(0);
  const stored = await refillsOf(orderIds.slice(1));
  expect(stored.map((refill) => refill.id)).toEqual(rest);
  const accepted = { fulfillment: "accepted", status: "Pending", leaseUntil: 0 };
  for (const refill of stored) expect(refill).toMatchObject(accepted);
  expect(new Set(stored.map(({ providerRefillId }) => providerRefillId)).size).toBe(21);
  expect(await db.$count(providerLog, inArray(providerLog.orderId, orderIds))).toBe(21);
});

const OUTCOMES: [what: string, reply: () => Response, stored: Partial<Refill>, failures: number][] = [
  ["rejects", () => Response.json({ error: "Refill is disabled" }), { fulfillment: "rejected", status: "Rejected" }, 0],
  ["postpones", () => new Response("", { status: 429 }), { fulfillment: "queued", leaseUntil: 60_000 }, 0],
  ["does not answer", () => new Response("", { status: 502 }), { fulfillment: "held" }, 1],
  ["answers vaguely", () => Response.json({ note: 1 }), { fulfillment: "held" }, 1],
  ["takes without an id", () => Response.json({ ok: 1 }), { fulfillment: "held" }, 0],
  ["takes with the id 1, as some take each", () => Response.json({ refill: 1 }), { fulfillment: "held" }, 0],
];

for (const [what, reply, { leaseUntil = 0, ...stored }, failures] of OUTCOMES) {
  test(`stores that a provider ${what}, and repeats the refill only if it can't be delivered twice`, async () => {
    const { providerId, userId, orderIds } = await delivered(1);
    await requestAll(userId, orderIds);
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(now);
    const calls = providerReplies(reply);
    await sendRefills(await linkAt(providerId));
    const lease = leaseUntil === 0 ? 0 : now + leaseUntil;
    const open = { status: "Pending", providerRefillId: null };
    expect(await refillsOf(orderIds)).toMatchObject([{ ...open, ...stored, leaseUntil: lease }]);
    expect(await readProvider(providerId)).toMatchObject({ failures });
    const earlier = calls().length;
    clock.mockReturnValue(now + leaseUntil - 1);
    await sendRefills(await linkAt(providerId));
    expect(calls()).toHaveLength(earlier);
    clock.mockReturnValue(now + leaseUntil);
    await sendRefills(await linkAt(providerId));
    expect(calls()).toHaveLength(stored.fulfillment === "queued" ? earlier + 1 : earlier);
  });
}

test("sends a refill again under the parameter that the provider misses, and learns it", async () => {
  const { providerId, userId, orderIds } = await delivered(1);
  await requestAll(userId, orderIds);
  const calls = providerReplies(({ refill }) =>
    Response.json(refill === undefined ? { error: "The refill field is required" } : { refill: 77 }),
  );
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  await sendRefills(await linkAt(providerId));
  expect(await refillsOf(orderIds)).toMatchObject([{ fulfillment: "queued" }]);
  clock.mockReturnValue(now + 60_000);
  await sendRefills(await linkAt(providerId));
  const name = idThere(orderIds[0] ?? 0);
  expect(calls()).toEqual([
    { action: "refill", order: name },
    { action: "refill", refill: name },
  ]);
  expect(await refillsOf(orderIds)).toMatchObject([{ fulfillment: "accepted", providerRefillId: "77" }]);
  expect(await readProvider(providerId)).toMatchObject({ dialect: { refill: "refill" } });
});

test.for([
  [
    "an accepted one with a message about it",
    { refill: 77, message: "Refill requested, refill is required" },
    "accepted",
  ],
  ["a refusal that it offers none", { error: "Refill is not provided for this service" }, "rejected"],
  ["a refusal that none is needed", { error: "Refill is not required" }, "rejected"],
] as const)("sends a refill once after %s, and learns nothing", async ([_, reply, fulfillment]) => {
  const { providerId, userId, orderIds } = await delivered(1);
  await requestAll(userId, orderIds);
  const calls = providerReplies(() => Response.json(reply));
  await sendRefills(await linkAt(providerId));
  expect(await refillsOf(orderIds)).toMatchObject([{ fulfillment }]);
  expect(calls()).toHaveLength(1);
  expect((await readProvider(providerId)).dialect).toEqual({});
});

test("puts a refill off less often as it gets older, and holds it after three days", async () => {
  const { providerId, userId, orderIds } = await delivered(1);
  const [refill = 0] = await requestAll(userId, orderIds);
  providerReplies(() => new Response("", { status: 429 }));
  const now = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(now);
  for (const [hours, fulfillment, waitMs] of [
    [1, "queued", HOUR_MS / 4],
    [71, "queued", HOUR_MS],
    [73, "held", HOUR_MS],
  ] as const) {
    await change(refill, { fulfillment: "queued", leaseUntil: 0, createdAt: now - hours * HOUR_MS });
    await sendRefills(await linkAt(providerId));
    expect(await refillsOf(orderIds)).toMatchObject([{ fulfillment, leaseUntil: now + waitMs, status: "Pending" }]);
  }
});

test("stores the provider's answer although the database refuses it once", async () => {
  const { providerId, userId, orderIds } = await delivered(1);
  await requestAll(userId, orderIds);
  providerReplies(() => Response.json({ refill: 7 }));
  // The first update claims the refill.
  await sendRefills(await linkAt(providerId, losingUpdate("refills", 2)));
  expect(await refillsOf(orderIds)).toMatchObject([{ fulfillment: "accepted", providerRefillId: "7" }]);
  expect(await db.$count(providerLog, inArray(providerLog.orderId, orderIds))).toBe(1);
});

const LATE: [what: string, reply: Record<string, unknown> | null, stored: Partial<Refill>][] = [
  ["took it", { refill: 8 }, { fulfillment: "accepted", providerRefillId: "8" }],
  ["rejects it", { error: "Refill is disabled" }, { fulfillment: "rejected", status: "Rejected" }],
  ["takes it later", null, { fulfillment: "queued", providerRefillId: null }],
];

for (const [what, reply, stored] of LATE) {
  const answer = () => (reply === null ? new Response("", { status: 429 }) : Response.json(reply));

  test(`stores that the provider ${what} although the refill was held meanwhile, when its lease ended`, async () => {
    const { providerId, userId, orderIds } = await delivered(1);
    const [refill = 0] = await requestAll(userId, orderIds);
    providerReplies(async () => {
      await change(refill, { leaseUntil: 1 });
      await holdLostRefills(db);
      return answer();
    });
    await sendRefills(await linkAt(providerId));
    expect(await refillsOf(orderIds)).toMatchObject([stored]);
  });

  test(`keeps what a person decided about a held refill when the answer that the provider ${what} comes late`, async () => {
    const { providerId, userId, orderIds } = await delivered(1);
    const [refill = 0] = await requestAll(userId, orderIds);
    providerReplies(async () => {
      await change(refill, { fulfillment: "held", status: "Completed" });
      return answer();
    });
    await sendRefills(await linkAt(providerId));
    expect(await refillsOf(orderIds)).toMatchObject([
      { fulfillment: "held", status: "Completed", providerRefillId: null },
    ]);
  });
}

test("calls no provider again while its answers can't be stored", async () => {
  const { providerId, userId, orderIds } = await delivered(2);
  await requestAll(userId, orderIds);
  const stalled = stalls();
  let now = Date.now();
  const calls = providerReplies(() => {
    stalled.losingAnswers();
    // The two minutes in which the answer is stored again pass at once.
    vi.spyOn(Date, "now").mockImplementation(() => (now += 120_000));
    return Response.json({ refill: 7 });
  });
  const standing = connect(stalled.on(env.DB), undefined, stalled.wait);
  await expect(sendRefills(await linkAt(providerId, standing))).rejects.toSatisfy(isUnavailable);
  expect(calls()).toHaveLength(1);
  expect(stalled.calls).toBe(1);
  await stalled.end();
  expect((await refillsOf(orderIds)).map(({ fulfillment }) => fulfillment)).toEqual(["accepted", "queued"]);
});

test("ends a round of refill statuses at the first that can't be stored because the database is unavailable", async () => {
  const { providerId, userId, orderIds } = await delivered(2);
  const ids = await requestAll(userId, orderIds);
  for (const id of ids) await change(id, { fulfillment: "accepted", providerRefillId: `r${id}` });
  const stalled = stalls();
  providerReplies(() => {
    stalled.losingAnswers();
    return Response.json(ids.map((id) => ({ refill: `r${id}`, status: "Completed" })));
  });
  const standing = connect(stalled.on(env.DB), undefined, stalled.wait);
  await expect(syncRefills(await linkAt(providerId, standing))).rejects.toSatisfy(isUnavailable);
  expect(stalled.calls).toBe(1);
  await stalled.end();
});

test("makes no second call after one that gets no response, and none while the provider rests", async () => {
  const { providerId, userId, orderIds } = await delivered(2);
  await requestAll(userId, orderIds);
  const calls = providerReplies(() => new Response("", { status: 502 }));
  const provider = await readProvider(providerId);
  await sendRefills(linkTo({ ...provider, openUntil: Date.now() + HOUR_MS }));
  expect(calls()).toHaveLength(0);
  await sendRefills(linkTo(provider));
  expect(calls()).toHaveLength(1);
  expect((await refillsOf(orderIds)).map(({ fulfillment }) => fulfillment)).toEqual(["held", "queued"]);
});

test("stores the status of each open refill of the provider, and leaves those that ended", async () => {
  const { providerId, userId, orderIds } = await delivered(5);
  const ids = await requestAll(userId, orderIds);
  const [moved = 0, same = 0, ended = 0, held = 0, unknown = 0] = ids;
  for (const id of ids) await change(id, { fulfillment: "accepted", providerRefillId: `r${id}`, updatedAt: 1 });
  await change(ended, { status: "Rejected" });
  await change(held, { fulfillment: "held" });
  const elsewhere = await delivered(1);
  const [foreign = 0] = await requestAll(elsewhere.userId, elsewhere.orderIds);
  await change(foreign, { fulfillment: "accepted", providerRefillId: "r1" });
  const calls = providerReplies(async () => {
    // A person decides while the call runs.
    await change(moved, { status: "Rejected" });
    const statuses = { [moved]: "In progress", [same]: "Pending", [unknown]: "Completed" };
    return Response.json(Object.entries(statuses).map(([id, status]) => ({ refill: `r${id}`, status })));
  });
  expect(await syncRefills(await linkAt(providerId))).toEqual({ open: true, recent: true });
  expect(calls()).toEqual([{ action: "refill_status", refills: [moved, same, unknown].map((id) => `r${id}`).join() }]);
  const stored = await refillsOf(orderIds);
  const statuses = stored.map(({ status }) => status);
  expect(statuses).toEqual(["Rejected", "Pending", "Rejected", "Pending", "Completed"]);
  expect(stored.map(({ updatedAt }) => updatedAt > 1)).toEqual([false, false, false, false, true]);
});

test("logs the first of several failed status calls, and the first after one that worked", async () => {
  const { providerId, userId, orderIds } = await delivered(1);
  const [refill = 0] = await requestAll(userId, orderIds);
  await change(refill, { fulfillment: "accepted", providerRefillId: "r1", createdAt: Date.now() - HOUR_MS });
  let fails = true;
  providerReplies(() => {
    return fails ? new Response("", { status: 502 }) : Response.json([{ refill: "r1", status: "Pending" }]);
  });
  const state = { hasFailed: false, failingSince: 0 };
  const sync = async () => {
    expect(await syncRefills(await linkAt(providerId), state)).toEqual({ open: true, recent: false });
    return db.$count(providerLog, eq(providerLog.providerId, providerId));
  };
  expect([await sync(), await sync()]).toEqual([1, 1]);
  expect(await readProvider(providerId)).toMatchObject({ failures: 2 });
  fails = false;
  expect(await sync()).toBe(1);
  expect(await readProvider(providerId)).toMatchObject({ failures: 0 });
  fails = true;
  expect(await sync()).toBe(2);
});

test("asks for no refill status while the provider rests, or when none is open", async () => {
  const { providerId, userId, orderIds } = await delivered(1);
  const calls = providerReplies(() => Response.json([]));
  const provider = await readProvider(providerId);
  expect(await syncRefills(linkTo(provider))).toEqual({ open: false, recent: false });
  const [refill = 0] = await requestAll(userId, orderIds);
  await change(refill, { fulfillment: "accepted", providerRefillId: "r1" });
  const resting = { ...provider, openUntil: Date.now() + HOUR_MS };
  expect(await syncRefills(linkTo(resting))).toEqual({ open: true, recent: true });
  expect(calls()).toEqual([]);
});

const UNREADABLE: [says: string, answer: unknown, logged: string][] = [
  [
    "an error about it",
    [{ refill: "r1", status: { error: "Refill not found" } }],
    '{"refill":"r1","status":{"error":"Refill not found"}}',
  ],
  ["an unknown status", [{ refill: "r1", status: "Awaiting moon" }], '{"refill":"r1","status":"Awaiting moon"}'],
  ["nothing", [], "missing"],
  ["an error in place of the list", { error: "Incorrect refill ID" }, '{"error":"Incorrect refill ID"}'],
  ["a failure of another form", { status: "fail", message: "No" }, '{"status":"fail","message":"No"}'],
  ["a long text", [{ refill: "r1", note: "x".repeat(20_000) }], `{"refill":"r1","note":"${"x".repeat(3977)}`],
];

test.for(UNREADABLE)(
  "logs once that its provider says %s, and holds the refill after an hour for staff to decide",
  async ([_, answer, logged]) => {
    vi.spyOn(console, "log").mockImplementation(() => {});
    const { userId, orderId, provider, refill, sync } = await tracked();
    const now = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(now);
    providerReplies(() => Response.json(answer));
    const [before] = await refillsOf([orderId]);
    await sync();
    expect(await refillsOf([orderId])).toEqual([{ ...before, unreadableSince: now }]);
    clock.mockReturnValue(now + HOUR_MS);
    await sync();
    expect(await refillsOf([orderId])).toEqual([{ ...before, unreadableSince: now }]);
    clock.mockReturnValue(now + HOUR_MS + 1);
    await sync();
    expect(await refillsOf([orderId])).toEqual([{ ...before, unreadableSince: now, fulfillment: "held" }]);
    const rows = await db.select().from(providerLog).where(eq(providerLog.orderId, orderId));
    expect(rows).toMatchObject([
      { providerId: provider.id, action: "refill_status", response: logged, createdAt: now },
    ]);
    const decision = { from: "Pending", status: "Rejected", reason: "" } as const;
    expect(await decideRefill(db, STAFF, refill, decision)).toEqual({ ok: true });
    expect(await requestRefill(db, { userId, isTest: false }, orderId)).toMatchObject({ ok: true });
  },
);

test("marks a refill unreadable whose status can't be stored, and holds it after an hour", async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { orderId, refill, sync } = await tracked();
  const now = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(now);
  const entry = { refill: "r1", status: "Completed" };
  providerReplies(() => Response.json([entry]));
  const lift = await refuseUpdates("refills", `new.id = ${refill} and new.status <> old.status`);
  await sync();
  expect(await refillsOf([orderId])).toMatchObject([{ fulfillment: "accepted", unreadableSince: now }]);
  clock.mockReturnValue(now + HOUR_MS + 1);
  await sync();
  await lift();
  expect(await refillsOf([orderId])).toMatchObject([{ fulfillment: "held", status: "Pending" }]);
  const rows = await db.select().from(providerLog).where(eq(providerLog.orderId, orderId));
  expect(rows.map(({ action, response }) => [action, JSON.parse(response)])).toMatchObject([
    ["refill_status", { status: "Completed" }],
  ]);
});

test.for(["Pending", "In progress"])(
  "forgets that a refill couldn't be read once its status %s can",
  async (status) => {
    const { orderId, refill, sync } = await tracked();
    await change(refill, { unreadableSince: 1 });
    providerReplies(() => Response.json([{ refill: "r1", status }]));
    await sync();
    expect(await refillsOf([orderId])).toMatchObject([{ fulfillment: "accepted", status, unreadableSince: 0 }]);
  },
);

test("reads the others when a provider refuses the call because of one id, and from then on in two calls", async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { providerId, userId, orderIds } = await delivered(9);
  const ids = await requestAll(userId, orderIds);
  for (const id of ids) await change(id, { fulfillment: "accepted", providerRefillId: `r${id}` });
  const [, , , , , , bad = 0] = ids;
  const calls = providerReplies(({ refills: asked = "" }) => {
    const named = asked.split(",");
    if (named.includes(`r${bad}`)) return Response.json({ error: "Incorrect refill ID" });
    return Response.json(named.map((refill) => ({ refill, status: "In progress" })));
  });
  const sync = async () => syncRefills(await linkAt(providerId));
  await sync();
  const stored = await refillsOf(orderIds);
  const read = stored.filter(({ status, unreadableSince }) => status === "In progress" && unreadableSince === 0);
  expect(read.map(({ id }) => id)).toEqual(ids.filter((id) => id !== bad));
  expect(stored.find(({ id }) => id === bad)).toMatchObject({ status: "Pending", fulfillment: "accepted" });
  expect(stored.find(({ id }) => id === bad)?.unreadableSince).toBeGreaterThan(0);
  const first = calls().length;
  await sync();
  expect(calls().length - first).toBe(2);
});

test("goes on in the next round behind the refills that were asked about alone, the unreadable among them", async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { providerId, userId, orderIds } = await delivered(90);
  for (const [n, id] of (await requestAll(userId, orderIds)).entries()) {
    await change(id, { fulfillment: "accepted", providerRefillId: `r${id}`, unreadableSince: n < 2 ? 1 : 0 });
  }
  await db
    .update(providers)
    .set({ dialect: { refill_status: "one" } })
    .where(eq(providers.id, providerId));
  const calls = providerReplies(({ refill }) => Response.json({ refill, status: "In progress" }));
  const state = { hasFailed: false, failingSince: 0 };
  const provider = await readProvider(providerId);
  expect(await syncRefills(linkTo(provider), state)).toEqual({ open: true, recent: true });
  expect(calls()).toHaveLength(80);
  await syncRefills(linkTo(provider), state);
  expect(new Set(calls().map(({ refill }) => refill)).size).toBe(90);
  expect((await refillsOf(orderIds)).every(({ status }) => status === "In progress")).toBe(true);
  expect(state).toMatchObject({ singlesAfter: 0 });
});

test("divides few refused calls in one round", async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { providerId, userId, orderIds } = await delivered(16);
  for (const id of await requestAll(userId, orderIds)) {
    await change(id, { fulfillment: "accepted", providerRefillId: `r${id}` });
  }
  const calls = providerReplies(() => Response.json({ error: "Incorrect request" }));
  const provider = await readProvider(providerId);
  const unreadable = async () => (await refillsOf(orderIds)).filter((one) => one.unreadableSince > 0).length;
  await syncRefills(linkTo(provider));
  // Three of them are asked about alone.
  expect(calls().length).toBeLessThanOrEqual(21 + 3);
  expect(await unreadable()).toBeGreaterThan(0);
  for (let round = 0; round < 4; round++) await syncRefills(linkTo(provider));
  expect(await unreadable()).toBe(16);
  const earlier = calls().length;
  await syncRefills(linkTo(provider));
  expect(calls().length - earlier).toBeLessThanOrEqual(21 + 3);
});

test("reads a refill that was unreadable although the provider refuses every call with another one's id", async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { providerId, userId, orderIds } = await delivered(2);
  const [refused = 0, read = 0] = await requestAll(userId, orderIds);
  for (const id of [refused, read]) {
    await change(id, { fulfillment: "accepted", providerRefillId: `r${id}`, unreadableSince: 1 });
  }
  providerReplies(({ refills: asked = "" }) => {
    if (asked.split(",").includes(`r${refused}`)) return Response.json({ error: "Incorrect refill ID" });
    return Response.json([{ refill: `r${read}`, status: "Completed" }]);
  });
  await syncRefills(await linkAt(providerId));
  const stored = await refillsOf(orderIds);
  expect(stored.find(({ id }) => id === read)).toMatchObject({ status: "Completed", fulfillment: "accepted" });
  expect(stored.find(({ id }) => id === refused)).toMatchObject({ status: "Pending", fulfillment: "held" });
});

test("waits for a database that stands still once, not once for each refill that can't be read", async () => {
  const { providerId, userId, orderIds } = await delivered(2);
  for (const id of await requestAll(userId, orderIds)) {
    await change(id, { fulfillment: "accepted", providerRefillId: `r${id}` });
  }
  const stalled = stalls();
  providerReplies(() => {
    stalled.losingAnswers();
    return Response.json([]);
  });
  const standing = connect(stalled.on(env.DB), undefined, stalled.wait);
  await expect(syncRefills(await linkAt(providerId, standing))).rejects.toSatisfy(isUnavailable);
  expect(stalled.calls).toBe(1);
  await stalled.end();
});

test.for([
  ["In progress", { status: "In progress", fulfillment: "accepted", unreadableSince: 0 }],
  ["Completed", { status: "Completed", fulfillment: "accepted", unreadableSince: 0 }],
  ["Awaiting moon", { status: "Pending", fulfillment: "held", unreadableSince: 1 }],
] as const)("asks again for a held refill, and lets it go on if its status can be read: %s", async ([status, left]) => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  const { orderId, provider, refill } = await tracked();
  await change(refill, { fulfillment: "held", unreadableSince: 1 });
  const calls = providerReplies(() => Response.json([{ refill: "r1", status }]));
  await syncHeldRefills(linkTo(provider));
  expect(calls()).toHaveLength(1);
  expect(await refillsOf([orderId])).toMatchObject([left]);
});

test("asks for no refill that a person decided, or that the provider never took", async () => {
  const { orderId, provider, refill } = await tracked();
  const calls = providerReplies(() => Response.json([{ refill: "r1", status: "Completed" }]));
  await change(refill, { fulfillment: "held", providerRefillId: null });
  await syncHeldRefills(linkTo(provider));
  await change(refill, { fulfillment: "held", providerRefillId: "r1", status: "Rejected" });
  await syncHeldRefills(linkTo(provider));
  expect(calls()).toHaveLength(0);
  expect(await refillsOf([orderId])).toMatchObject([{ fulfillment: "held", status: "Rejected" }]);
});

/** Returns a refill that its provider has under the id r1. */
async function tracked() {
  const { providerId, userId, orderIds } = await delivered(1);
  const [refill = 0] = await requestAll(userId, orderIds);
  const [orderId = 0] = orderIds;
  await change(refill, { fulfillment: "accepted", providerRefillId: "r1" });
  const provider = await readProvider(providerId);
  const link = linkTo(provider);
  return { userId, orderId, provider, refill, sync: () => syncRefills(link) };
}

/** Places orders that a provider has delivered, of a service with refills. */
async function delivered(count: number) {
  const placed = await placeOrders(
    Array.from({ length: count }, (_, n) => sandboxLink("still", `${crypto.randomUUID()}-${n}`)),
  );
  await acceptOrders(placed.orderIds);
  await db.update(orders).set({ status: "Completed", remains: 0 }).where(inArray(orders.id, placed.orderIds));
  await db.update(services).set({ refill: true }).where(eq(services.providerId, placed.providerId));
  return placed;
}

/** Returns the ids of the refills. */
async function requestAll(userId: string, orderIds: number[]): Promise<number[]> {
  const ids: number[] = [];
  for (const orderId of orderIds) {
    const requested = await requestRefill(db, { userId, isTest: false }, orderId);
    if (!requested.ok) throw new Error(requested.reason);
    ids.push(requested.refillId);
  }
  return ids;
}

async function change(id: number, to: Partial<Refill>): Promise<void> {
  await db.update(refills).set(to).where(eq(refills.id, id));
}

function refillsOf(orderIds: number[]): Promise<Refill[]> {
  return db.select().from(refills).where(inArray(refills.orderId, orderIds)).orderBy(refills.id);
}

function sorted(calls: Record<string, string>[]): string[] {
  return calls.map((call) => JSON.stringify(call)).sort();
}
