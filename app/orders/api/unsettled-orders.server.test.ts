import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { DatabaseUnavailable } from "#app/db/bounded-database.server.ts";
import type { Order } from "#app/db/schema.server.ts";
import { type GateEnv, gateOf } from "./api-keys.server.ts";
import { placeUnsettled, TAKEN_MS } from "./unsettled-orders.server.ts";

type Place = Parameters<typeof placeUnsettled>[3];

const CONTENT = "content";
const stored = (status: Order["status"] = "Pending"): Place => {
  return async () => ({ ok: true, order: { status } as Order, replayed: true });
};
const failing = (error: Error): Place => {
  return async () => {
    throw error;
  };
};

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An API key. `keys` are the idempotency keys of its calls. `work` is what the worker was told to wait for. */
function newClient(bindings: GateEnv = env) {
  const digest = crypto.randomUUID();
  const work: Promise<unknown>[] = [];
  const keys: string[] = [];
  const call = (place: Place, { hasUnsettled = true, hangUp = new AbortController() } = {}) =>
    placeUnsettled(
      { env: bindings, waitUntil: (one) => void work.push(one) },
      { digest, hasUnsettled },
      () => CONTENT,
      (key) => {
        keys.push(key);
        return place(key);
      },
      hangUp.signal,
    );
  const gate = () => gateOf(env, digest);
  return {
    call,
    keys,
    work,
    take: (taker: string) => gate().takeUnsettled(CONTENT, taker),
    kept: () => runInDurableObject(gate(), (_, { storage }) => [...storage.kv.list()].length),
  };
}

/** An API key whose first order was answered with 503. */
async function withLostOrder(bindings: GateEnv = env) {
  const client = newClient(bindings);
  // The client hangs up: only what the worker was told to wait for goes on.
  const lost = client.call(failing(new DatabaseUnavailable("it stands still")), { hasUnsettled: false });
  await Promise.all(client.work);
  await expect(lost).rejects.toThrow();
  return { ...client, first: client.keys[0] };
}

test("keeps the key of a lost order for a client that hangs up before the answer", async () => {
  const { take, first } = await withLostOrder();
  expect(await take("next")).toBe(first);
});

test("hands a key out again at once if the call that took it failed, whatever the reason", async () => {
  const { call, keys, first } = await withLostOrder();
  for (const error of [new Error("a fault of ours"), new DatabaseUnavailable("it stands still")]) {
    await expect(call(failing(error))).rejects.toThrow(error.message);
  }
  await call(stored());
  expect(keys).toEqual([first, first, first, first]);
});

test("hands a key out again after a minute if the call that took it was cut off", async () => {
  const { call, keys, first } = await withLostOrder();
  const now = Date.now();
  vi.useFakeTimers({ toFake: ["Date"], now });
  const cutOff = Promise.withResolvers<never>();
  const begun = Promise.withResolvers<void>();
  const lost = call(() => {
    begun.resolve();
    return cutOff.promise;
  });
  await begun.promise;
  vi.setSystemTime(now + TAKEN_MS - 1);
  await call(stored());
  vi.setSystemTime(now + TAKEN_MS);
  await call(stored());
  expect(keys.map((key) => key === first)).toEqual([true, true, false, true]);
  cutOff.reject(new Error("cut off"));
  await expect(lost).rejects.toThrow("cut off");
});

test("forgets a key once its call has an outcome", async () => {
  const { call, keys, work, first } = await withLostOrder();
  const now = Date.now();
  await call(stored());
  await Promise.all(work);
  vi.useFakeTimers({ toFake: ["Date"], now: now + TAKEN_MS + 1000 });
  await call(stored());
  expect(keys.map((key) => key === first)).toEqual([true, true, false]);
});

test("hands a key out again to the call that asked for it, if the gate's answer was lost", async () => {
  const { take, first } = await withLostOrder();
  expect(await take("mine")).toBe(first);
  expect(await take("theirs")).toBeNull();
  expect(await take("mine")).toBe(first);
});

test("places a new order for a lost one that was canceled", async () => {
  const { call, keys, work, first, take } = await withLostOrder();
  await call(stored("Canceled"));
  await Promise.all(work);
  expect(keys.map((key) => key === first)).toEqual([true, true, false]);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + TAKEN_MS + 1000 });
  expect(await take("next")).toBeNull();
});

test("keeps the new key of an order that replaces a canceled one, if it is lost too", async () => {
  const { call, keys, first } = await withLostOrder();
  let calls = 0;
  const place: Place = (key) =>
    calls++ === 0 ? stored("Canceled")(key) : failing(new DatabaseUnavailable("again"))(key);
  await expect(call(place)).rejects.toThrow("again");
  await call(stored());
  expect(keys[3]).not.toBe(first);
  expect(keys[3]).toBe(keys[2]);
});

test("keeps the key of a call whose client hangs up, although it succeeds", async () => {
  const { call, keys, take, kept } = newClient();
  const hangUp = new AbortController();
  const placed = await call(
    (key) => {
      hangUp.abort();
      return stored()(key);
    },
    { hasUnsettled: false, hangUp },
  );
  expect(placed.ok).toBe(true);
  expect(await take("next")).toBe(keys[0]);
  expect(await kept()).toBe(1);
});

test("keeps the key of a client that is gone before its order is placed", async () => {
  const { call, keys, take } = newClient();
  const hangUp = new AbortController();
  hangUp.abort();
  await call(stored(), { hasUnsettled: false, hangUp });
  expect(await take("next")).toBe(keys[0]);
});

test("keeps nothing for a client that hangs up after the response", async () => {
  const { call, work, kept } = newClient();
  const hangUp = new AbortController();
  await call(stored(), { hasUnsettled: false, hangUp });
  hangUp.abort();
  await Promise.all(work);
  expect(await kept()).toBe(0);
});

test("hands a key out again at once if the client of its repetition hangs up, too", async () => {
  const { call, first, take } = await withLostOrder();
  const hangUp = new AbortController();
  const gone: Place = (key) => {
    hangUp.abort();
    return stored()(key);
  };
  await call(gone, { hangUp });
  expect(await take("next")).toBe(first);
});

test("places no order in place of a canceled one for a client that is gone", async () => {
  const { call, keys, first, take } = await withLostOrder();
  const hangUp = new AbortController();
  const gone: Place = (key) => {
    hangUp.abort();
    return stored("Canceled")(key);
  };
  await call(gone, { hangUp });
  expect(keys).toEqual([first, first]);
  expect(await take("next")).toBe(first);
});

test("keeps no key again that a repetition has settled while the first call still waited", async () => {
  const { call, keys, kept } = newClient();
  const waiting = Promise.withResolvers<never>();
  const hangUp = new AbortController();
  const first = call(() => waiting.promise, { hasUnsettled: false, hangUp });
  hangUp.abort();
  await vi.waitFor(async () => expect(await kept()).toBe(1), { timeout: 90_000 });
  await call(stored());
  expect(keys[1]).toBe(keys[0]);
  waiting.reject(new DatabaseUnavailable("it stood still"));
  await expect(first).rejects.toThrow("it stood still");
  expect(await kept()).toBe(0);
});

test("answers a repetition only once its key is forgotten", async () => {
  let isForgotten = false;
  const { call } = await withLostOrder(
    withSettle(async (settle) => {
      await settle();
      isForgotten = true;
    }),
  );
  await call(stored());
  expect(isForgotten).toBe(true);
});

test("answers a repetition also if its key can't be forgotten, and logs it", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const { call } = await withLostOrder(withSettle(() => Promise.reject(new Error("unreachable"))));
  expect(await call(stored())).toMatchObject({ ok: true });
  expect(errors).toHaveBeenCalledWith(expect.stringContaining("unsettled order not forgotten"));
});

/** Gates of which `instead` is called when a key is to be forgotten. */
function withSettle(instead: (settle: () => Promise<void>) => Promise<void>): GateEnv {
  const getByName = (name: string) => {
    const gate = env.API_GATE.getByName(name);
    return {
      keepUnsettled: (content: string, key: string) => gate.keepUnsettled(content, key),
      takeUnsettled: (content: string, taker: string) => gate.takeUnsettled(content, taker),
      settle: (content: string, key: string) => instead(async () => void (await gate.settle(content, key))),
    };
  };
  return { API_GATE: { getByName } } as unknown as GateEnv;
}
