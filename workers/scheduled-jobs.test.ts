import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { jobRuns } from "#app/db/schema.server.ts";
import { KEYS } from "#tests/backups/backup-databases.ts";
import { db } from "#tests/workerd/customer.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { NIGHTLY } from "./cron-triggers.ts";
import { runScheduledJobs } from "./scheduled-jobs.ts";

test("fails the import of the catalogs, and no other job, when it can't be read whether the copy is held", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const stalled = stalls();
  stalled.losingAnswers((statements) => statements.some((text) => text.includes("from backup_restores")));
  await expect(runScheduledJobs(NIGHTLY, stalled.in(env))).rejects.toThrow(/^scheduled jobs failed: import catalogs$/);
  await stalled.end();
  const isImport = eq(jobRuns.job, "import catalogs");
  const [failed] = await db.select().from(jobRuns).where(isImport);
  expect(failed).toMatchObject({ succeededAt: null, error: expect.stringMatching(/held.*: .*lost/) });
  await runScheduledJobs(NIGHTLY, stalled.in(env));
  const [succeeded] = await db.select().from(jobRuns).where(isImport);
  expect(succeeded).toMatchObject({ succeededAt: expect.any(Number), failingSince: null });
});

test("starts the backup with the wait of a night's jobs, whose late writes are not refused", async () => {
  const prepared: string[] = [];
  const DB: Pick<D1Database, "prepare" | "batch"> = {
    prepare(text) {
      prepared.push(text);
      return env.DB.prepare(text);
    },
    batch: (statements) => env.DB.batch(statements),
  };
  const wake = vi.fn();
  const night = { ...env, DB, BACKUP_KEYS: KEYS, BACKUP_RUNNER: { getByName: () => ({ wake }) } };
  await runScheduledJobs(NIGHTLY, night as unknown as Env);
  expect(wake).toHaveBeenCalled();
  expect(prepared.filter((text) => text.includes("insert into backup_runs"))).toHaveLength(1);
  expect(prepared.filter((text) => text.includes("unixepoch('subsec') * 1000 <= ?"))).toEqual([]);
  await env.DB.exec("delete from backup_runs");
});
