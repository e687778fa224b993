import { createExecutionContext, runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { orders } from "#app/db/schema.server.ts";
import { digestOfKey, gateOf } from "#app/orders/api/api-keys.server.ts";
import { closeOrder } from "#app/orders/fulfillment/close-order.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { checkLedger } from "#app/orders/wallet/ledger-check.server.ts";
import { MICRO } from "#app/product.ts";
import { SITE } from "#tests/workerd/all-routes.ts";
import { customerWith, db, service } from "#tests/workerd/customer.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import worker from "#workers/app.ts";

const LINK = "https://instagram.com/p/1";
const CHARGE = 90_000;
const stalled = stalls();
const standing = stalled.in(env);

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await stalled.end();
});

type Door = { path: string; fields: Record<string, string> };
const DOORS: Door[] = [
  { path: "/api/v2", fields: { action: "add" } },
  { path: "/api/order", fields: {} },
  { path: "/api/v1/create_order", fields: {} },
];

async function send(
  apiKey: string,
  { path, fields }: Door,
  more: Record<string, string>,
  { bindings = standing, hangUp }: { bindings?: Env; hangUp?: AbortSignal } = {},
): Promise<Response> {
  const request = requestOf(apiKey, { path, fields: { ...fields, ...more } }, hangUp);
  return worker.fetch(request as Parameters<typeof worker.fetch>[0], bindings, createExecutionContext());
}

function requestOf(apiKey: string, { path, fields }: Door, signal?: AbortSignal): Request {
  return new Request(`${SITE}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ link: LINK, quantity: "100", ...fields }),
    ...(signal && { signal }),
  });
}

async function idOf(response: Response): Promise<number> {
  const body = await response.json<{ order?: number; id?: number }>();
  return body.order ?? body.id ?? 0;
}

/** How many idempotency keys the API key's gate keeps. */
function keptOf(apiKey: string): Promise<number> {
  const gate = gateOf(env, digestOfKey(apiKey) ?? "");
  return runInDurableObject(gate, (_, { storage }) => [...storage.kv.list()].length);
}

/** A customer whose key and catalog the worker remembers, so that a call of theirs is one statement. */
async function remembered(door: Door) {
  const customer = await customerWith(10 * MICRO);
  const sold = String(await service());
  await send(customer.apiKey, door, { service: sold, quantity: "10" });
  const placed = () => db.select().from(orders).where(eq(orders.userId, customer.userId)).orderBy(orders.id);
  return { ...customer, service: sold, placed };
}

for (const door of DOORS) {
  test(`${door.path} places an order once whose answer was lost, when the same call comes again`, async () => {
    const { apiKey, userId, service, placed } = await remembered(door);
    stalled.losingAnswers();
    expect((await send(apiKey, door, { service })).status).toBe(503);
    await stalled.end();
    // It was carried out.
    const [, stored] = await placed();
    expect(stored?.charge).toBe(CHARGE);
    const again = await send(apiKey, door, { service });
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await idOf(again)).toBe(stored?.id);
    expect(await placed()).toHaveLength(2);
    // The repetition is settled: one more is another order.
    const more = await send(apiKey, door, { service });
    expect(more.headers.get("Idempotent-Replayed")).toBeNull();
    expect(await idOf(more)).not.toBe(stored?.id);
    expect(await placed()).toHaveLength(3);
    expect(await readBalance(db, userId)).toBe(10 * MICRO - 9_000 - 2 * CHARGE);
    expect(await checkLedger(db)).toEqual([]);
  });

  test(`${door.path} places an order once whose client hung up before it was told, when the same call comes again`, async () => {
    const { apiKey, userId, service, placed } = await remembered(door);
    const client = new AbortController();
    stalled.beforeAnswers();
    const given = send(apiKey, door, { service }, { hangUp: client.signal });
    await stalled.called(1);
    client.abort();
    await stalled.end();
    // Nobody reads it.
    expect((await given).ok).toBe(true);
    const [, stored] = await placed();
    const again = await send(apiKey, door, { service }, { hangUp: new AbortController().signal });
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await idOf(again)).toBe(stored?.id);
    expect(await placed()).toHaveLength(2);
    // The repetition is settled: one more is another order.
    expect(await idOf(await send(apiKey, door, { service }))).not.toBe(stored?.id);
    expect(await placed()).toHaveLength(3);
    expect(await readBalance(db, userId)).toBe(10 * MICRO - 9_000 - 2 * CHARGE);
    expect(await checkLedger(db)).toEqual([]);
  });

  test(`${door.path} never carries out a call late that was answered with 503`, async () => {
    const { apiKey, userId, service, placed } = await remembered(door);
    stalled.beforeCalls();
    const [one, other] = await Promise.all([send(apiKey, door, { service }), send(apiKey, door, { service })]);
    expect([one.status, other.status]).toEqual([503, 503]);
    // Both reach the database now.
    await stalled.end();
    expect(await placed()).toHaveLength(1);
    const again = await Promise.all([1, 2].map(() => send(apiKey, door, { service })));
    const ids = await Promise.all(again.map(idOf));
    expect(new Set(ids).size).toBe(2);
    expect(await placed()).toHaveLength(3);
    expect(await readBalance(db, userId)).toBe(10 * MICRO - 9_000 - 2 * CHARGE);
    expect(await checkLedger(db)).toEqual([]);
  });
}

test("gives a client that hung up and repeats its call the same order while both still wait", async () => {
  const [door] = DOORS as [Door];
  const { apiKey, service, placed } = await remembered(door);
  const client = new AbortController();
  stalled.beforeAnswers();
  const given = send(apiKey, door, { service }, { hangUp: client.signal });
  await stalled.called(1);
  client.abort();
  await vi.waitFor(async () => expect(await keptOf(apiKey)).toBe(1), { timeout: 90_000 });
  const again = send(apiKey, door, { service });
  await stalled.called(2);
  await stalled.end();
  expect(await idOf(await again)).toBe(await idOf(await given));
  expect(await placed()).toHaveLength(2);
  expect(await keptOf(apiKey)).toBe(0);
});

test("places another order for a client that hangs up after the response and orders the same again", async () => {
  const [door] = DOORS as [Door];
  const { apiKey, service, placed } = await remembered(door);
  const client = new AbortController();
  const first = await send(apiKey, door, { service }, { hangUp: client.signal });
  client.abort();
  const second = await send(apiKey, door, { service });
  expect(second.headers.get("Idempotent-Replayed")).toBeNull();
  expect(await idOf(second)).not.toBe(await idOf(first));
  expect(await placed()).toHaveLength(3);
});

test("learns from the runtime that a client has hung up", async () => {
  const [door] = DOORS as [Door];
  const { apiKey, service, placed } = await remembered(door);
  const gate = gateOf(env, digestOfKey(apiKey) ?? "");
  await gate.keepUnsettled("another order", "another key");
  let isAsked = false;
  let isGone = false;
  await runInDurableObject(gate, (instance) => {
    vi.spyOn(Object.getPrototypeOf(instance), "takeUnsettled").mockImplementationOnce(async () => {
      isAsked = true;
      while (!isGone) await scheduler.wait(5);
      return null;
    });
  });
  const client = new AbortController();
  const given = SELF.fetch(requestOf(apiKey, { ...door, fields: { ...door.fields, service } }, client.signal));
  await vi.waitUntil(() => isAsked, { timeout: 90_000 });
  client.abort();
  await expect(given).rejects.toThrow();
  isGone = true;
  await vi.waitFor(
    async () => {
      expect(await placed()).toHaveLength(2);
      expect(await keptOf(apiKey)).toBe(2);
    },
    { timeout: 90_000 },
  );
  expect(await idOf(await send(apiKey, door, { service }))).toBe((await placed())[1]?.id);
});

test("logs a fault of a call whose client hung up", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const [door] = DOORS as [Door];
  const { apiKey, service } = await remembered(door);
  const prepare = () => {
    throw new Error("D1_ERROR: no such table: SQLITE_ERROR");
  };
  const broken = { ...standing, DB: { prepare, batch: prepare } as unknown as D1Database };
  const hangUp = AbortSignal.abort();
  expect((await send(apiKey, door, { service }, { bindings: broken, hangUp })).status).toBe(500);
  expect(errors).toHaveBeenCalledWith(expect.stringContaining("route failed"));
});

test("gives a lost order only to one call with the same content and key", async () => {
  const [door] = DOORS as [Door];
  const stranger = await remembered(door);
  const { apiKey, service, placed } = await remembered(door);
  stalled.losingAnswers();
  await send(apiKey, door, { service });
  await stalled.end();
  const lost = (await placed())[1]?.id;
  const others = [
    await send(apiKey, door, { service, quantity: "200" }),
    await send(apiKey, door, { service, request_id: "mine" }),
    await send(stranger.apiKey, door, { service }),
  ];
  for (const response of others) expect(await idOf(response)).not.toBe(lost);
  const again = await Promise.all([1, 2, 3].map(async () => idOf(await send(apiKey, door, { service }))));
  expect(again.filter((id) => id === lost)).toHaveLength(1);
  expect(new Set(again).size).toBe(3);
});

test("places a lost order once although its repetition ran into a fault of ours", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const [door] = DOORS as [Door];
  const { apiKey, service, placed } = await remembered(door);
  stalled.losingAnswers();
  await send(apiKey, door, { service });
  await stalled.end();
  const prepare = () => {
    throw new Error("D1_ERROR: no such table: SQLITE_ERROR");
  };
  const broken = { ...standing, DB: { prepare, batch: prepare } as unknown as D1Database };
  expect((await send(apiKey, door, { service }, { bindings: broken })).status).toBe(500);
  const lost = (await placed())[1]?.id;
  expect(await idOf(await send(apiKey, door, { service }))).toBe(lost);
  expect(await placed()).toHaveLength(2);
});

test("places a new order in place of a lost one that was canceled", async () => {
  const [door] = DOORS as [Door];
  const { apiKey, service, placed } = await remembered(door);
  stalled.losingAnswers();
  await send(apiKey, door, { service });
  await stalled.end();
  const [, lost] = await placed();
  if (!lost) throw new Error("it was not stored");
  await closeOrder(db, env, lost, { status: "Canceled", remains: 100, startCount: null });
  const again = await send(apiKey, door, { service });
  expect(again.headers.get("Idempotent-Replayed")).toBeNull();
  const [, , next] = await placed();
  expect(await idOf(again)).toBe(next?.id);
  expect(next).toMatchObject({ status: "Pending", charge: CHARGE });
});

test("remembers a lost order through an eviction, and forgets it after an hour", async () => {
  const [door] = DOORS as [Door];
  const { apiKey, service, placed } = await remembered(door);
  const gate = gateOf(env, digestOfKey(apiKey) ?? "");
  stalled.losingAnswers();
  await send(apiKey, door, { service });
  await stalled.end();
  await runInDurableObject(gate, async (instance, { storage }) => {
    expect([...storage.kv.list()]).toHaveLength(1);
    expect(await storage.getAlarm()).toBeGreaterThan(Date.now());
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60 * 60_000 + 1000 });
    await instance.alarm();
    expect([...storage.kv.list()]).toEqual([]);
  });
  const lost = (await placed())[1]?.id;
  expect(await idOf(await send(apiKey, door, { service }))).not.toBe(lost);
});
