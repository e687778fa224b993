import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { JOB_LIMIT_MS, LOGGED_FROM_MS, runJobs } from "./run-jobs.ts";

const lines: Record<string, unknown>[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  lines.length = 0;
  for (const method of ["log", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line: string) => void lines.push(JSON.parse(line)));
  }
});

afterEach(() => {
  vi.useRealTimers();
});

test("runs the jobs beside one that hangs, which becomes an error line after ten minutes", async () => {
  const done: string[] = [];
  const run = runJobs({
    hangs: () => new Promise(() => {}),
    first: async () => done.push("first"),
    second: async () => done.push("second"),
  });
  await vi.advanceTimersByTimeAsync(JOB_LIMIT_MS - 1);
  expect(done).toEqual(["first", "second"]);
  expect(lines).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await run).toEqual(["hangs"]);
  expect(lines).toMatchObject([
    { level: "error", message: "scheduled job unfinished", job: "hangs", ms: JOB_LIMIT_MS },
  ]);
});

test("logs a failed job by name and runs the others, whether it throws at once or later", async () => {
  let ran = false;
  const failed = await runJobs({
    throws: () => {
      throw new Error("at once");
    },
    rejects: () => Promise.reject(new Error("later")),
    works: async () => {
      ran = true;
    },
  });
  expect(failed).toEqual(["throws", "rejects"]);
  expect(ran).toBe(true);
  expect(lines).toMatchObject([
    { level: "error", message: "scheduled job failed", job: "throws", error: "at once" },
    { level: "error", message: "scheduled job failed", job: "rejects", error: "later" },
  ]);
});

test("writes a data point for each job that an invocation may write one for, and for failures before others", async () => {
  const points: AnalyticsEngineDataPoint[] = [];
  const metrics = { writeDataPoint: (point: AnalyticsEngineDataPoint) => void points.push(point) };
  const jobs = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`job ${at}`, async () => {}]));
  await runJobs({ ...jobs, fails: () => Promise.reject(new Error("no")) }, undefined, metrics);
  expect(points).toHaveLength(25);
  expect(points[0]).toEqual({ indexes: ["fails"], blobs: ["job", "jobs", "fails", "", "failed"], doubles: [0] });
  expect(points[1]?.blobs?.[4]).toBe("succeeded");
});

test("logs how long a slow job took, and nothing about a fast one", async () => {
  const takes = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));
  const run = runJobs({ fast: takes(LOGGED_FROM_MS - 1), slow: takes(LOGGED_FROM_MS) });
  await vi.advanceTimersByTimeAsync(LOGGED_FROM_MS);
  expect(await run).toEqual([]);
  expect(lines).toMatchObject([
    { level: "info", message: "scheduled job finished", job: "slow", ms: LOGGED_FROM_MS, succeeded: true },
  ]);
});
