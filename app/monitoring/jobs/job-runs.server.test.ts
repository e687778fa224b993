import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { connect, type Db } from "#app/db/db.server.ts";
import { type JobSchedule, jobRuns } from "#app/db/schema.server.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import {
  lateSince,
  listJobs,
  RECORD_EVERY_MS,
  readJobRuns,
  recordNewJobs,
  recordStarts,
  unsteadyFailures,
} from "./job-runs.server.ts";

const db = connect(env.DB);
const JOBS = ["first", "second"];
const NOW = Date.UTC(2026, 10, 23, 12);
const succeeded = { startedAt: NOW, succeeded: true, error: null };

beforeEach(async () => {
  await db.delete(jobRuns);
});

test("records the start and end of a run in one row per job", async () => {
  const recorder = await start(db, "minute", JOBS, NOW);
  expect(await read("first")).toMatchObject({ schedule: "minute", startedAt: NOW, finishedAt: null, error: null });
  await recorder.ended("first", succeeded);
  const error = new Error("The provider hung up\nwith a second line");
  await recorder.ended("second", { startedAt: NOW, succeeded: false, error });
  const [first, second] = [await read("first"), await read("second")];
  expect(first).toMatchObject({ succeededAt: first?.finishedAt, failingSince: null, error: null });
  expect(second).toMatchObject({
    succeededAt: null,
    failingSince: second?.finishedAt,
    error: "The provider hung up",
  });
  expect(await db.$count(jobRuns)).toBe(2);
});

test("records more jobs than a statement takes parameters for", async () => {
  const jobs = Array.from({ length: 60 }, (_, at) => `job ${at}`);
  await start(db, "night", jobs, NOW);
  expect(await db.$count(jobRuns)).toBe(60);
});

test("writes nothing about a run that is like the recorded one and follows it closely", async () => {
  const writes = async (at: number, ends: boolean) => {
    const { database, byStatement } = countedDatabase(env.DB);
    const recorder = await start(connect(database), "minute", JOBS, at);
    for (const job of JOBS) await recorder.ended(job, { startedAt: at, succeeded: ends, error: "no" });
    return [...byStatement.values()].reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  };
  expect(await writes(NOW, true)).toBeGreaterThan(0);
  expect(await writes(NOW + 60_000, true)).toBe(0);
  expect(await writes(NOW + 120_000, false)).toBe(JOBS.length);
  const { failingSince } = (await read("first")) ?? {};
  const due = NOW + 120_000 + RECORD_EVERY_MS.minute;
  expect(await writes(due, false)).toBeGreaterThan(0);
  expect(await read("first")).toMatchObject({ failingSince, startedAt: due });
  expect(await writes(due + 1, true)).toBe(JOBS.length);
  expect(await read("first")).toMatchObject({ failingSince: null });
  expect(await writes(due + 60_000, true)).toBe(0);
});

test("keeps when the last ten failures were, one row per job", async () => {
  const clock = vi.spyOn(Date, "now");
  for (let run = 0; run < 24; run++) {
    const at = NOW + run * 60_000;
    clock.mockReturnValue(at);
    const recorder = await start(db, "minute", JOBS, at);
    await recorder.ended("first", { startedAt: at, succeeded: run % 2 === 0, error: "no" });
  }
  clock.mockRestore();
  const last = Array.from({ length: 10 }, (_, at) => NOW + (5 + 2 * at) * 60_000);
  expect(await read("first")).toMatchObject({ failedAt: last, error: "no" });
  expect((await read("second"))?.failedAt).toEqual([]);
});

test("calls a job of each minute unsteady from three failures in ten runs until the last ten succeeded", () => {
  const failedAt = [0, 4, 8].map((minute) => NOW + minute * 60_000);
  const run = { schedule: "minute" as const, failedAt };
  const at = (minute: number) => unsteadyFailures(run, NOW + minute * 60_000);
  expect(at(9)).toEqual(failedAt);
  expect(at(17)).toEqual(failedAt);
  expect(at(18)).toBeNull();
  expect(unsteadyFailures({ ...run, failedAt: failedAt.slice(1) }, NOW + 540_000)).toBeNull();
  const spread = [0, 6, 12, 18].map((minute) => NOW + minute * 60_000);
  expect(unsteadyFailures({ ...run, failedAt: spread }, NOW + 19 * 60_000)).toBeNull();
  // One failure long after: the three before it are another event.
  expect(unsteadyFailures({ ...run, failedAt: [...failedAt, NOW + 90 * 60_000] }, NOW + 90 * 60_000)).toBeNull();
  expect(unsteadyFailures({ ...run, schedule: "night" }, NOW + 540_000)).toBeNull();
});

test("records a night's jobs before their first night, once, and lists them as waiting until they are late", async () => {
  const announce = async (at: number) => recordNewJobs(db, "night", JOBS, await readJobRuns(db), at);
  await announce(NOW);
  await announce(NOW + 60_000);
  expect(await listJobs(db, NOW)).toMatchObject([
    { job: "first", state: "waiting", startedAt: null, ms: null },
    { job: "second", state: "waiting" },
  ]);
  const late = NOW + 26 * 3_600_000 + 1;
  expect((await listJobs(db, late)).map(({ state }) => state)).toEqual(["late", "late"]);
  const recorder = await start(db, "night", JOBS, late);
  await recorder.ended("first", { ...succeeded, startedAt: late });
  expect(await read("first")).toMatchObject({ startedAt: late, createdAt: NOW });
});

test("records every run of a night", async () => {
  for (const at of [NOW, NOW + 1]) {
    const recorder = await start(db, "night", JOBS, at);
    await recorder.ended("first", { ...succeeded, startedAt: at });
    expect(await read("first")).toMatchObject({ startedAt: at });
  }
});

test("forgets a job that the schedule no longer has, and no job of another schedule", async () => {
  await start(db, "minute", JOBS, NOW);
  await start(db, "night", ["third"], NOW);
  await start(db, "minute", ["first"], NOW + 1);
  expect((await db.select().from(jobRuns)).map(({ job }) => job)).toEqual(["first", "third"]);
});

test("keeps the values of a failed query out of the recorded error", async () => {
  const recorder = await start(db, "minute", JOBS, NOW);
  const failed = await db
    .insert(jobRuns)
    .values({ job: "first", schedule: "minute", startedAt: 1, createdAt: 1, error: "somebody@test.example" })
    .catch((error: unknown) => error);
  await recorder.ended("second", { startedAt: NOW, succeeded: false, error: failed });
  const error = (await read("second"))?.error;
  expect(error).toContain("UNIQUE constraint failed");
  expect(error).not.toContain("somebody");
});

test("lets the jobs run where their starts can't be recorded", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const broken = connect({ prepare: () => ({}) } as unknown as D1Database);
  const recorder = await start(broken, "minute", JOBS, NOW);
  await recorder.ended("first", succeeded);
  expect(logged).toHaveBeenCalled();
});

test("says since when a job is late: half an hour for one of each minute, 26 hours for one of each night", async () => {
  const run = {
    ...{ job: "first", startedAt: NOW, succeededAt: null, failingSince: null, failedAt: [], error: null },
    createdAt: NOW,
  };
  const half = 30 * 60_000;
  const minute = { ...run, schedule: "minute" as const, finishedAt: NOW };
  expect(lateSince(minute, NOW + half)).toBeNull();
  expect(lateSince(minute, NOW + half + 1)).toBe(NOW);
  const night = { ...run, schedule: "night" as const, finishedAt: null };
  expect(lateSince(night, NOW + 26 * 2 * half)).toBeNull();
  expect(lateSince(night, NOW + 26 * 2 * half + 1)).toBe(NOW);
});

async function start(database: Db, schedule: JobSchedule, jobs: string[], now: number) {
  return recordStarts(database, schedule, jobs, await readJobRuns(database), now);
}

async function read(job: string) {
  const [run] = await db.select().from(jobRuns).where(eq(jobRuns.job, job));
  return run;
}
