import { eq, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { providers } from "#app/db/schema.server.ts";
import { needsProbe } from "./provider-calls.server.ts";

/** Returns the numbers of enabled providers, and of those that get no orders: they don't answer, or refuse all. */
export async function readProviderAvailability(db: Db): Promise<{ enabled: number; unavailable: number }> {
  const rows = await db
    .select({ failures: providers.failures, isPaused: sql<number>`${providers.pausedFor} is not null` })
    .from(providers)
    .where(eq(providers.enabled, true));
  const unavailable = rows.filter((row) => row.isPaused === 1 || needsProbe(row));
  return { enabled: rows.length, unavailable: unavailable.length };
}
