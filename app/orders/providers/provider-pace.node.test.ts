import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ProviderPace } from "./provider-pace.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("runs as many calls at once as the limit says, in the order in which they asked", async () => {
  const pace = new ProviderPace({ concurrentCalls: 2, callsPerMinute: null });
  const started: number[] = [];
  for (const n of [1, 2, 3, 4]) void pace.enter().then(() => started.push(n));
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual([1, 2]);
  pace.leave();
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual([1, 2, 3]);
});

test("starts no more calls in any minute than the limit says", async () => {
  const pace = new ProviderPace({ concurrentCalls: 6, callsPerMinute: 7 });
  const startedAt: number[] = [];
  for (let n = 0; n < 50; n++) void pace.run(async () => startedAt.push(Date.now()));
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(startedAt).toHaveLength(50);
  for (const from of startedAt) {
    expect(startedAt.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(7);
  }
});

test("waits for one distance first, because memory may have been lost after a call", async () => {
  const pace = new ProviderPace({ concurrentCalls: 1, callsPerMinute: 60 });
  let started = false;
  void pace.enter().then(() => (started = true));
  await vi.advanceTimersByTimeAsync(999);
  expect(started).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(started).toBe(true);
});

test("gives the start of a call that was not made to the next", async () => {
  const pace = new ProviderPace({ concurrentCalls: 1, callsPerMinute: 1 });
  await vi.advanceTimersByTimeAsync(60_000);
  const slot = await pace.enter();
  pace.leave({ made: false, slot });
  await pace.enter();
  pace.leave();
  let started = false;
  void pace.enter().then(() => (started = true));
  await vi.advanceTimersByTimeAsync(59_999);
  expect(started).toBe(false);
});

test("gives no start away twice when another call has started since", async () => {
  const pace = new ProviderPace({ concurrentCalls: 3, callsPerMinute: 60 });
  await vi.advanceTimersByTimeAsync(1000);
  const first = await pace.enter();
  const second = pace.enter();
  await vi.advanceTimersByTimeAsync(1000);
  await second;
  pace.leave({ made: false, slot: first });
  let started = false;
  void pace.enter().then(() => (started = true));
  await vi.advanceTimersByTimeAsync(999);
  expect(started).toBe(false);
});

test("applies new limits to the calls that wait", async () => {
  const pace = new ProviderPace({ concurrentCalls: 1, callsPerMinute: 1 });
  const started: number[] = [];
  for (const n of [1, 2]) void pace.enter().then(() => started.push(n));
  pace.setLimits({ concurrentCalls: 2, callsPerMinute: null });
  await vi.advanceTimersByTimeAsync(0);
  expect(started).toEqual([1, 2]);
});

test("waits for one distance at most when the clock is set back", async () => {
  const startOf = async (callsPerMinute: number | null) => {
    const pace = new ProviderPace({ concurrentCalls: 1, callsPerMinute });
    vi.setSystemTime(Date.now() - 60 * 60_000);
    const setBackAt = Date.now();
    let startedAt = Number.NaN;
    void pace.enter().then(() => {
      startedAt = Date.now() - setBackAt;
    });
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    return startedAt;
  };
  expect([await startOf(null), await startOf(60)]).toEqual([0, 1000]);
});

test("counts work that starts no call as none, also when it fails", async () => {
  const pace = new ProviderPace({ concurrentCalls: 1, callsPerMinute: 60 });
  await vi.advanceTimersByTimeAsync(1000);
  const began = Date.now();
  await expect(pace.inSlot(() => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  await pace.inSlot(async () => {});
  await pace.inSlot(async (start) => start());
  expect(Date.now()).toBe(began);
  let startedAt = 0;
  void pace.run(async () => {
    startedAt = Date.now();
  });
  await vi.advanceTimersByTimeAsync(1000);
  expect(startedAt).toBe(began + 1000);
});
