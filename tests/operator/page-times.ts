import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalCopy } from "#tests/product/local-copy.ts";

/** How long a page of the console takes, and what it reads. Times are ms, from the request to the end of its HTML. */
export type PageTime = { path: string; p50: number; p95: number; rowsRead: number | null; status: number };

const TIMES = 20;
const LOGGED_WITHIN_MS = 300;

/** Requests each page 20 times, one after the other, after one that warms it up. `cookie`: an admin's. */
export async function measurePages(copy: LocalCopy, cookie: string, paths: string[]): Promise<PageTime[]> {
  const measured: PageTime[] = [];
  for (const path of paths) {
    const { status } = await open(copy, cookie, path);
    const since = new Date().toISOString();
    const times: number[] = [];
    for (let n = 0; n < TIMES; n++) times.push((await open(copy, cookie, path)).ms);
    times.sort((one, other) => one - other);
    await new Promise((resolve) => setTimeout(resolve, LOGGED_WITHIN_MS));
    measured.push({
      path,
      p50: at(times, 0.5),
      p95: at(times, 0.95),
      rowsRead: await rowsReadSince(copy, since),
      status,
    });
  }
  return measured;
}

async function open({ url }: LocalCopy, cookie: string, path: string): Promise<{ ms: number; status: number }> {
  const startedAt = performance.now();
  const response = await fetch(`${url}${path}`, { headers: { Cookie: cookie }, redirect: "manual" });
  await response.text();
  return { ms: performance.now() - startedAt, status: response.status };
}

function at(sorted: number[], share: number): number {
  return Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
}

/** Returns the median of the rows that the pages requested since an ISO time have read, by the copy's log. */
async function rowsReadSince({ stateDir }: LocalCopy, since: string): Promise<number | null> {
  const lines = (await readFile(join(stateDir, "logs", "worker.log"), "utf8")).trimEnd().split("\n");
  const rows = lines
    .slice(-20 * TIMES)
    .filter((line) => line.includes('"message":"request"') && (/"time":"([^"]+)"/.exec(line)?.[1] ?? "") >= since)
    .map((line) => Number(/"rows_read":(\d+)/.exec(line)?.[1] ?? Number.NaN))
    .sort((one, other) => one - other);
  return rows.length === 0 ? null : (rows[Math.floor(rows.length / 2)] ?? null);
}
