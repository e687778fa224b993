import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { apiKeys } from "#app/db/schema.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { customerWith, db, newKey } from "#tests/workerd/customer.ts";
import { ownerOf } from "#tests/workerd/signed-in-account.ts";
import { digestOfKey, findApiCaller, ROTATION_OVERLAP_MS, rotateApiKey } from "./api-keys.server.ts";

const NOW = Date.now();

afterEach(() => void vi.useRealTimers());

/** How long a key lives that is replaced an hour after it was made, and how much longer it may work then. */
const LIVES = [
  { life: null, left: ROTATION_OVERLAP_MS },
  { life: HOUR_MS + 1, left: 1 },
  { life: 2 * HOUR_MS, left: HOUR_MS },
  { life: HOUR_MS + ROTATION_OVERLAP_MS - 1, left: ROTATION_OVERLAP_MS - 1 },
  { life: HOUR_MS + ROTATION_OVERLAP_MS, left: ROTATION_OVERLAP_MS },
  { life: HOUR_MS + ROTATION_OVERLAP_MS + 1, left: ROTATION_OVERLAP_MS },
  { life: 90 * ROTATION_OVERLAP_MS, left: ROTATION_OVERLAP_MS },
];

test.for(LIVES)(
  "lets a replaced key of $life ms work for $left ms more, and its successor as long as it did",
  async (way) => {
    setTime(NOW);
    const { userId } = await customerWith(0);
    const limits = { expiresAt: way.life === null ? null : NOW + way.life, addresses: [], dailyCap: null };
    const old = await newKey(userId, { name: "replaced", scopes: ["read"], limits });
    const owner = await ownerOf(userId);
    setTime(NOW + HOUR_MS);
    const next = await rotateApiKey(db, env, owner, old.id);
    if (!next.ok) throw new Error(next.reason);
    expect(await endOf(old.id)).toBe(NOW + HOUR_MS + way.left);
    expect(await endOf(next.id)).toBe(way.life === null ? null : NOW + HOUR_MS + way.life);
    for (const [after, works] of [
      [way.left - 1, true],
      [way.left, false],
    ] as const) {
      setTime(NOW + HOUR_MS + after);
      expect(await isTaken(old.key), `${after} ms after`).toBe(works);
    }
    // What a rotation of the successor does to it doesn't reach back to the first key.
    setTime(NOW + HOUR_MS);
    expect(await rotateApiKey(db, env, owner, next.id)).toMatchObject({ ok: true });
    expect(await endOf(old.id)).toBe(NOW + HOUR_MS + way.left);
  },
);

function setTime(now: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now });
}

async function endOf(id: string): Promise<number | null | undefined> {
  const [key] = await db.select({ expiresAt: apiKeys.expiresAt }).from(apiKeys).where(eq(apiKeys.id, id));
  return key?.expiresAt;
}

async function isTaken(key: string): Promise<boolean> {
  const later: Promise<unknown>[] = [];
  const holder = await findApiCaller(db, digestOfKey(key) ?? "", (work) => later.push(work));
  await Promise.all(later);
  return holder !== null;
}
