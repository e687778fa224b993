import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { processorTime } from "#tests/product/processor-time.ts";

/**
 * How long a page of the console takes, and what it costs. Times are ms, from the request to the end of its HTML.
 * `processor` is what workerd computed for it, databases included. `plain` is the p95 of a page without data, requested in
 * turn with it: what the machine's load does to any page.
 */
export type PageTime = {
  path: string;
  status: number;
  p50: number;
  p95: number;
  plain: number;
  processor: number;
  kilobytes: number;
  statements: number;
  trips: number;
  rowsRead: number;
};

const TIMES = 20;
const PLAIN_PAGE = "/privacy-policy";
const LOGGED_WITHIN_MS = 300;

/** Requests each page 20 times, one after the other, after two that warm it up. `cookie`: an admin's. */
export async function measurePages(copy: LocalCopy, cookie: string, paths: string[]): Promise<PageTime[]> {
  for (let n = 0; n < TIMES; n++) await open(copy, cookie, PLAIN_PAGE);
  const plainProcessor = await processorOf(() => open(copy, cookie, PLAIN_PAGE));
  const measured: PageTime[] = [];
  for (const path of paths) {
    await open(copy, cookie, path);
    const { status, bytes } = await open(copy, cookie, path);
    const since = new Date().toISOString();
    const [times, plain]: [number[], number[]] = [[], []];
    const processor = await processorOf(async () => {
      times.push((await open(copy, cookie, path)).ms);
      plain.push((await open(copy, cookie, PLAIN_PAGE)).ms);
    });
    await new Promise((resolve) => setTimeout(resolve, LOGGED_WITHIN_MS));
    measured.push({
      path,
      status,
      p50: at(times, 0.5),
      p95: at(times, 0.95),
      plain: at(plain, 0.95),
      processor: Math.max(0, Math.round(processor - plainProcessor)),
      kilobytes: Math.round(bytes / 1000),
      ...(await loggedSince(copy, since)),
    });
  }
  return measured;
}

/** Returns the processor time of one of 20 calls, in ms. The cron job of a minute may be in it. */
async function processorOf(call: () => Promise<unknown>): Promise<number> {
  const before = processorTime();
  for (let n = 0; n < TIMES; n++) await call();
  return (processorTime() - before) / TIMES;
}

async function open({ url }: LocalCopy, cookie: string, path: string) {
  const startedAt = performance.now();
  const response = await fetch(`${url}${path}`, { headers: { Cookie: cookie }, redirect: "manual" });
  const { byteLength } = await response.arrayBuffer();
  return { ms: performance.now() - startedAt, status: response.status, bytes: byteLength };
}

function at(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
}

/** Returns the medians of what the console's pages have read since an ISO time, by the copy's log. */
async function loggedSince(
  { stateDir }: LocalCopy,
  since: string,
): Promise<Pick<PageTime, "statements" | "trips" | "rowsRead">> {
  const text = await readFile(join(stateDir, "logs", "worker.log"), "utf8");
  const lines = text
    .trimEnd()
    .split("\n")
    .slice(-20 * TIMES)
    .filter((line) => line.includes('"message":"request"') && !line.includes("privacy-policy"))
    .filter((line) => (/"time":"([^"]+)"/.exec(line)?.[1] ?? "") >= since);
  const median = (name: string) =>
    at(
      lines.map((line) => Number(new RegExp(`"${name}":(\\d+)`).exec(line)?.[1] ?? Number.NaN)),
      0.5,
    );
  return { statements: median("queries"), trips: median("round_trips"), rowsRead: median("rows_read") };
}
