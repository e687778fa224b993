import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { DatabaseUnavailable } from "#app/db/bounded-database.server.ts";
import type { Order } from "#app/db/schema.server.ts";
import { gateOf } from "./api-keys.server.ts";
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

afterEach(() => void vi.useRealTimers());

/** An API key whose first order was answered with 503. */
async function withLostOrder() {
  const digest = crypto.randomUUID();
  const work: Promise<unknown>[] = [];
  const keys: string[] = [];
  const call = (place: Place, hasUnsettled = true) =>
    placeUnsettled(
      { env, waitUntil: (one) => void work.push(one) },
      { digest, hasUnsettled },
      () => CONTENT,
      (key) => {
        keys.push(key);
        return place(key);
      },
    );
  // The client hangs up: only what the worker was told to wait for goes on.
  const lost = call(failing(new DatabaseUnavailable("it stands still")), false);
  await Promise.all(work);
  await expect(lost).rejects.toThrow();
  return {
    call,
    keys,
    work,
    first: keys[0],
    take: (taker: string) => gateOf(env, digest).takeUnsettled(CONTENT, taker),
  };
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
