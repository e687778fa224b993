import { afterEach, expect, test, vi } from "vitest";
import { HashQueue, MAX_WAITING, MAX_WAITING_PER_ADDRESS, unlimitedCaller, withHashing } from "./hash-queue.server.ts";

const from = (address: string | null) => ({ address, waitUntil: () => {}, isAdmitted: false });
const LEASE_MS = 20_000;

afterEach(() => vi.restoreAllMocks());

/** Has callers look more often whether it is their turn, for tests in which many wait. */
function lookOften(): void {
  const { setTimeout } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void) => setTimeout(run, 5)) as never);
}

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
  lookOften();
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
  const visit = { network: "203.0.113.77" };
  const sent = Array.from({ length: MAX_WAITING_PER_ADDRESS + 1 }, () =>
    withHashing({ waitUntil: () => {} }, visit, (caller) => queue.run(caller, async () => "hashed")),
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

test("waits for a hash that has run for twenty seconds, and no longer", async () => {
  const order: string[] = [];
  const now = vi.spyOn(Date, "now");
  const hash = (name: string) => async () => void order.push(name);
  for (const age of [LEASE_MS, LEASE_MS + 1]) {
    const queue = new HashQueue();
    const { promise, resolve } = Promise.withResolvers<void>();
    now.mockReturnValue(1);
    const first = queue.run(from("a"), () => promise.then(() => void order.push(`ends after ${age}`)));
    now.mockReturnValue(1 + age);
    const second = queue.run(from("b"), hash("second"));
    resolve();
    await Promise.all([first, second]);
  }
  expect(order).toEqual([`ends after ${LEASE_MS}`, "second", "second", `ends after ${LEASE_MS + 1}`]);
});

test("gives the turn of a hash that never ended to the one that has waited longest", async () => {
  const queue = new HashQueue();
  const order: string[] = [];
  const now = vi.spyOn(Date, "now").mockReturnValue(1);
  const hash = (name: string) => async () => void order.push(name);
  void queue.run(from("a"), () => new Promise(() => {}));
  const waiting = [queue.run(from("b"), hash("b")), queue.run(from("c"), hash("c"))];
  now.mockReturnValue(2 + LEASE_MS);
  await Promise.all([...waiting, queue.run(from("d"), hash("d"))]);
  expect(order).toEqual(["b", "c", "d"]);
});

test("does not pass a turn on twice when a hash ends after its lease", async () => {
  const queue = new HashQueue();
  const now = vi.spyOn(Date, "now").mockReturnValue(1);
  const late = heldHash();
  const lateHash = queue.run(from("a"), late.hash);
  now.mockReturnValue(2 + LEASE_MS);
  let isRunning = false;
  const second = queue.run(from("b"), async () => {
    isRunning = true;
    late.end();
    // As long as a hash takes, in which the next could start too early.
    await new Promise((resolve) => setTimeout(resolve, 150));
    isRunning = false;
  });
  const third = queue.run(from("c"), async () => isRunning);
  expect(await Promise.all([lateHash, second, third])).toEqual(["held", undefined, false]);
});

test("takes no limit per address for loopback requests, and the limit of all", async () => {
  lookOften();
  const queue = new HashQueue();
  const { hash, end } = heldHash();
  const running = queue.run(from(null), hash);
  const many = Array.from({ length: MAX_WAITING + 1 }, () => queue.run(from(null), async () => "hashed"));
  end();
  const results = await Promise.allSettled([running, ...many]);
  expect(results.map(({ status }) => status === "fulfilled")).toEqual([...Array(MAX_WAITING + 1).fill(true), false]);
});

test("admits further hashes of a request that waited, and as many others once the line is empty", async () => {
  lookOften();
  const queue = new HashQueue();
  for (let round = 0; round < 2; round++) {
    const { hash, end } = heldHash();
    const running = queue.run(from("first"), hash);
    const waiting = from("second");
    const many = [waiting, ...Array.from({ length: MAX_WAITING - 1 }, (_, at) => from(`${at}`))].map((caller) =>
      queue.run(caller, async () => "hashed"),
    );
    const again = queue.run(waiting, async () => "hashed again");
    const late = queue.run(from("late"), async () => "hashed");
    end();
    const results = await Promise.allSettled([running, ...many, again, late]);
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(results.at(-1)).toMatchObject({ status: "rejected" });
  }
});

test("reports a failed hash to its caller alone", async () => {
  const kept: Promise<unknown>[] = [];
  const visit = { network: null };
  const failing = withHashing({ waitUntil: (work) => void kept.push(work) }, visit, (caller) =>
    new HashQueue().run(caller, () => Promise.reject(new Error("no hash"))),
  );
  await expect(failing).rejects.toThrow("no hash");
  expect(await Promise.all(kept)).toEqual([undefined]);
});

test("hands the caller's address to its work", async () => {
  const addressIn = (network: string | null) =>
    withHashing({ waitUntil: () => {} }, { network }, async ({ address, isAdmitted }) => [address, isAdmitted]);
  expect(await addressIn("203.0.113.78")).toEqual({ ok: true, value: ["203.0.113.78", false] });
  expect(await addressIn(null)).toEqual({ ok: true, value: [null, false] });
});

/** A hash that runs until `end` is called. */
function heldHash() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { hash: () => promise, end: () => resolve("held") };
}
