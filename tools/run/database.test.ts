import { beforeEach, expect, test, vi } from "vitest";
import { oneLine } from "./command-line.ts";
import { whenFree } from "./database.ts";

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

const busy = () => new Error("D1_ERROR", { cause: new Error("database is locked: SQLITE_BUSY") });

test("retries on a locked database until it is free", async () => {
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(busy()).mockRejectedValueOnce(busy());
  work.mockResolvedValue("done");
  const done = whenFree(work);
  await vi.runAllTimersAsync();
  expect(await done).toBe("done");
  expect(work).toHaveBeenCalledTimes(3);
});

test("retries on a lock however deep its error is wrapped, and if it is not named", async () => {
  const wrapped = (cause: Error) => new Error("Failed query", { cause: new Error("D1_ERROR", { cause }) });
  const work = vi.fn<() => Promise<string>>().mockRejectedValueOnce(wrapped(new Error("SQLITE_BUSY_SNAPSHOT")));
  work.mockRejectedValueOnce(wrapped(new Error("Failed to get session commit token: internal error; reference = 1")));
  work.mockResolvedValue("done");
  const done = whenFree(work);
  await vi.runAllTimersAsync();
  expect(await done).toBe("done");
});

test("says that the database stays locked, and throws any other error", async () => {
  const locked = vi.fn(() => Promise.reject(busy()));
  const given = whenFree(locked).catch(oneLine);
  await vi.runAllTimersAsync();
  expect(await given).toMatch(/^The database has been locked .* half a minute\. .* stop the copy first\.$/);
  expect(locked.mock.calls.length).toBeGreaterThan(10);

  const wrong = vi.fn(() => Promise.reject(new Error("no such table")));
  await expect(whenFree(wrong)).rejects.toThrow("no such table");
  expect(wrong).toHaveBeenCalledTimes(1);
});
