import { and, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import ipaddr from "ipaddr.js";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "./db.server.ts";
import { deleteInChunks } from "./delete-in-chunks.server.ts";
import { rateLimits } from "./schema.server.ts";

/** At most `max` attempts per window of `periodMs` for each `who`, such as an email or an address. */
export type Limit = { name: string; who: string; max: number; periodMs: number };
/** A row of a counter after the attempt. */
type Counted = { count: number; resetsAt: number };
export type LimitResult = { ok: true } | { ok: false; retryAfterSeconds: number };

/**
 * Counts one attempt against the given limits, in one transaction, and returns whether all of them allow it. An attempt
 * that one limit refuses does not count against the limits after it: put those that strangers share last.
 */
export async function countAttempt(db: Db, limits: Limit[], now = Date.now()): Promise<LimitResult> {
  if (limits.length === 0) return { ok: true };
  const { results } = await countGroups(db, [{ limits }], [], now);
  return results[0] ?? { ok: true };
}

/**
 * Counts one attempt against each group of limits whose condition holds, and runs `read` before it in the same batch.
 * Returns what the groups say in their order, null for one that didn't count.
 */
export async function countGroups<const Read extends readonly BatchItem<"sqlite">[]>(
  db: Db,
  groups: { limits: Limit[]; condition?: SQL | undefined }[],
  read: Read,
  now = Date.now(),
): Promise<{ read: BatchResponse<Read>; results: (LimitResult | null)[] }> {
  const counting = groups.flatMap(({ limits, condition }) => countStatements(db, limits, now, condition));
  const all: unknown[] = await db.batch([...read, ...counting] as unknown as [BatchItem<"sqlite">]);
  const counted = all.slice(read.length) as Counted[][];
  const results = groups.map(({ limits }) => {
    const rows = counted.splice(0, limits.length);
    return rows.some(({ length }) => length === 1) ? resultOf(limits, rows, now) : null;
  });
  return { read: all.slice(0, read.length) as BatchResponse<Read>, results };
}

/** Builds the statements that count where `condition` holds. They return no rows where it doesn't. */
function countStatements(db: Db, limits: Limit[], now: number, condition: SQL = sql`1`) {
  const counters = limits.map((limit) => ({ ...limit, key: keyOf(limit) }));
  return counters.map((counter, at) => upsert(db, counter, counters.slice(0, at), now, condition));
}

/** Returns whether the limits allow an attempt that `countStatements` has counted. What was not counted is allowed. */
function resultOf(limits: Limit[], results: Counted[][], now: number): LimitResult {
  const waits: number[] = [];
  for (const [at, [row]] of results.entries()) {
    const max = limits[at]?.max ?? 0;
    const isCounted = waits.length === 0;
    if (row && (isCounted ? row.count > max : row.count >= max)) waits.push(row.resetsAt - now);
  }
  return waits.length === 0 ? { ok: true } : { ok: false, retryAfterSeconds: Math.ceil(Math.max(...waits) / 1000) };
}

/** Builds the statement that resets the counter, for example after a successful sign-in. */
export function forgetAttempts(db: Db, limit: Pick<Limit, "name" | "who">) {
  return db.delete(rateLimits).where(eq(rateLimits.key, keyOf(limit)));
}

/** Builds the statement that takes back one counted attempt, for a limit that counts failures only. */
export function uncountAttempt(db: Db, limit: Pick<Limit, "name" | "who">) {
  return db
    .update(rateLimits)
    .set({ count: sql`${rateLimits.count} - 1` })
    .where(and(eq(rateLimits.key, keyOf(limit)), gt(rateLimits.count, 0)));
}

/** Deletes counters whose window has ended. */
export async function deleteEndedWindows(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, rateLimits, lt(rateLimits.resetsAt, now));
}

/**
 * Returns the client's IPv4 address, or the /64 prefix of its IPv6 address. An IPv4-mapped address is IPv4: all of them share
 * one /64. Returns null for loopback or no address.
 */
export function addressOf(request: Request): string | null {
  const written = request.headers.get("CF-Connecting-IP") ?? "";
  const address = ipaddr.isValid(written) ? ipaddr.process(written) : null;
  if (written === "" || address?.range() === "loopback") return null;
  if (address instanceof ipaddr.IPv6) {
    const prefix = address.parts.slice(0, 4);
    return prefix.map((group) => group.toString(16)).join(":");
  }
  return address?.toString() ?? written;
}

type Counter = Limit & { key: string };

function upsert(db: Db, { key, periodMs }: Counter, earlier: Counter[], now: number, condition: SQL) {
  const isOver = sql`${rateLimits.resetsAt} <= ${now}`;
  const refusals = earlier.map((one) => sql`("key" = ${one.key} and "count" > ${one.max})`);
  // 1 if every earlier limit allows the attempt, else 0.
  const counted =
    refusals.length === 0
      ? sql`1`
      : sql`(not exists (select 1 from "rate_limits" where ${sql.join(refusals, sql` or `)}))`;
  return db
    .insert(rateLimits)
    .select(sql`select ${key}, ${counted}, cast(${now + periodMs} as integer) where ${condition}`)
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        count: sql`case when ${isOver} then ${counted} else ${rateLimits.count} + ${counted} end`,
        resetsAt: sql`case when ${isOver} then ${now + periodMs} else ${rateLimits.resetsAt} end`,
      },
    })
    .returning({ count: rateLimits.count, resetsAt: rateLimits.resetsAt });
}

/** Hashes `who`, so that the table holds neither emails nor IP addresses. */
function keyOf({ name, who }: Pick<Limit, "name" | "who">): string {
  return `${name}:${sha256(who)}`;
}
