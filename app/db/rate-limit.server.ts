import { lt, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "./db.server.ts";
import { deleteInChunks } from "./delete-in-chunks.server.ts";
import { rateLimits } from "./schema.server.ts";

/** At most `max` attempts per window of `periodMs` for each `who`, such as an email or an address. */
export type Limit = { name: string; who: string; max: number; periodMs: number };
export type LimitResult = { ok: true } | { ok: false; retryAfterSeconds: number };

/** Counts one attempt against every given limit, in one transaction, and returns whether all of them allow it. */
export async function countAttempt(db: Db, limits: Limit[], now = Date.now()): Promise<LimitResult> {
  const counts = limits.map((limit) => ({ limit, key: keyOf(limit) }));
  const [first, ...rest] = counts.map(({ limit, key }) => upsert(db, key, now, limit.periodMs));
  if (!first) return { ok: true };
  const results = await db.batch([first, ...rest]);
  const waits = results.flatMap(([row], i) => {
    const max = limits[i]?.max ?? 0;
    return row && row.count > max ? [row.resetsAt - now] : [];
  });
  return waits.length === 0 ? { ok: true } : { ok: false, retryAfterSeconds: Math.ceil(Math.max(...waits) / 1000) };
}

/** Resets the counter, for example after a successful sign-in. */
export async function forgetAttempts(db: Db, limit: Pick<Limit, "name" | "who">): Promise<void> {
  await db.delete(rateLimits).where(sql`${rateLimits.key} = ${keyOf(limit)}`);
}

/** Deletes counters whose window has ended. */
export async function deleteEndedWindows(db: Db, now = Date.now()): Promise<void> {
  await deleteInChunks(db, rateLimits, lt(rateLimits.resetsAt, now));
}

/** Returns the client's IPv4 address, or the /64 prefix of its IPv6 address. Returns null for loopback or no address. */
export function addressOf(request: Request): string | null {
  const address = request.headers.get("CF-Connecting-IP") ?? "";
  if (address === "" || address === "127.0.0.1" || address === "::1") return null;
  if (!address.includes(":")) return address;
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter(Boolean);
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(":").filter(Boolean).length;
  return [...groups, ...Array<string>(missing).fill("0")].slice(0, 4).join(":");
}

function upsert(db: Db, key: string, now: number, periodMs: number) {
  const isOver = sql`${rateLimits.resetsAt} <= ${now}`;
  return db
    .insert(rateLimits)
    .values({ key, count: 1, resetsAt: now + periodMs })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        count: sql`case when ${isOver} then 1 else ${rateLimits.count} + 1 end`,
        resetsAt: sql`case when ${isOver} then ${now + periodMs} else ${rateLimits.resetsAt} end`,
      },
    })
    .returning({ count: rateLimits.count, resetsAt: rateLimits.resetsAt });
}

/** Hashes `who`, so that the table holds neither emails nor IP addresses. */
function keyOf({ name, who }: Pick<Limit, "name" | "who">): string {
  return `${name}:${sha256(who)}`;
}
