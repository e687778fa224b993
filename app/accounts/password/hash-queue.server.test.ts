import { expect, test } from "vitest";
import { HashQueue, MAX_WAITING, MAX_WAITING_PER_ADDRESS, unlimitedCaller, withHashing } from "./hash-queue.server.ts";

const from = (address: string | null) => ({ address, waitUntil: () => {}, isAdmitted: false });
const refused = (results: PromiseSettledResult<unknown>[]) => results.filter(({ status }) => status === "rejected");

test("runs one hash at a time, in turn by address", async () => {
  const queue = new HashQueue();
  const order: string[] = [];
  let running = 0;
  const hash = (name: string) => async () => {
    expect(++running).toBe(1);
    await Promise.resolve();
    order.push(name);
    running--;
  };
  const many = ["a1", "a2", "a3"].map((name) => queue.run(from("a"), hash(name)));
  await Promise.all([...many, queue.run(from("b"), hash("b1")), queue.run(from("c"), hash("c1"))]);
  expect(order).toEqual(["a1", "a2", "b1", "c1", "a3"]);
});

test("refuses an address whose line is full, and no other", async () => {
  const queue = new HashQueue();
  const { hash, end } = heldHash();
  const running = queue.run(from("b"), hash);
  const flood = Array.from({ length: 30 }, () => queue.run(from("a"), async () => "hashed"));
  const other = queue.run(from("c"), async () => "hashed");
  end();
  expect(refused(await Promise.allSettled(flood))).toHaveLength(30 - MAX_WAITING_PER_ADDRESS);
  expect(await Promise.all([running, other])).toEqual(["held", "hashed"]);
});

test("refuses everybody once the whole line is full, except who has been admitted", async () => {
  const queue = new HashQueue();
  const { hash, end } = heldHash();
  const first = from("first");
  const running = queue.run(first, hash);
  const many = Array.from({ length: MAX_WAITING }, (_, at) => queue.run(from(`${at}`), async () => "hashed"));
  await expect(queue.run(from("late"), async () => "hashed")).rejects.toThrow("too many wait");
  const again = queue.run(first, async () => "hashed again");
  end();
  expect(refused(await Promise.allSettled([running, ...many]))).toEqual([]);
  expect(await again).toBe("hashed again");
});

test("goes on after a hash that fails", async () => {
  const queue = new HashQueue();
  const failed = queue.run(from("a"), async () => Promise.reject(new Error("no hash")));
  const next = queue.run(from("a"), async () => "hashed");
  await expect(failed).rejects.toThrow("no hash");
  expect(await next).toBe("hashed");
});

test("keeps the request alive until its hash has ended", async () => {
  const kept: Promise<unknown>[] = [];
  const queue = new HashQueue();
  const caller = { ...from("a"), waitUntil: (work: Promise<unknown>) => void kept.push(work) };
  await queue.run(caller, async () => "hashed");
  expect(kept).toHaveLength(1);
});

test("replies with the time to wait once the line is full", async () => {
  const queue = new HashQueue();
  const { hash, end } = heldHash();
  const running = queue.run(unlimitedCaller(), hash);
  const request = new Request("https://growline.example", { headers: { "CF-Connecting-IP": "203.0.113.77" } });
  const sent = Array.from({ length: MAX_WAITING_PER_ADDRESS + 1 }, () =>
    withHashing({ waitUntil: () => {} }, request, (caller) => queue.run(caller, async () => "hashed")),
  );
  end();
  const replies = await Promise.all([...sent, running]);
  expect(replies.filter((reply) => reply !== "held" && !(reply as { ok: boolean }).ok)).toEqual([
    {
      ok: false,
      status: 429,
      text: "Too many attempts. Please try again in 10 seconds.",
      headers: { "Retry-After": "10" },
    },
  ]);
});

/** A hash that runs until `end` is called. */
function heldHash() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { hash: () => promise, end: () => resolve("held") };
}
