import type { AppLoadContext } from "@remix-run/cloudflare";
import { and, eq, or, type SQL, sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { cancellations, type Order, orders, providers, refills } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";
import {
  isCancellationQueued,
  isHeldAtProvider,
  isQueued,
  isRefillQueued,
  isRefillTracked,
  isTracked,
} from "./indexed-conditions.server.ts";

type Dispatchers = Env["PROVIDER_DISPATCHER"];

/** Wakes the dispatcher of an order that was just placed, after our response. Cron does it if this is cut off. */
export function submitSoon({ env, waitUntil }: AppLoadContext, order: Pick<Order, "fulfillment" | "providerId">): void {
  const { providerId } = order;
  if (order.fulfillment !== "queued" || providerId === null) return;
  waitUntil(
    runLogged("dispatcher not woken", { provider: providerId }, () => wake(env.PROVIDER_DISPATCHER, providerId)),
  );
}

/** Wakes the dispatchers after our response, for a refill or a cancellation that was just requested. */
export function dispatchSoon({ db, env, waitUntil }: AppLoadContext): void {
  waitUntil(runLogged("dispatchers not woken", {}, () => wakeDispatchers(db, env.PROVIDER_DISPATCHER)));
}

/**
 * Wakes every dispatcher that has something to do, all at once: one that hangs must not hold up the others. One that was
 * killed or never asked sleeps until then. Returns what those failed with that can't be woken, or whose rounds fail.
 */
export async function wakeDispatchers(db: Db, dispatchers: Dispatchers): Promise<string[]> {
  const failures = await Promise.all(
    (await providersWithWork(db)).map(async (providerId) => {
      let failure: string | null = null;
      const isWoken = await runLogged("dispatcher not woken", { provider: providerId }, async () => {
        failure = await wake(dispatchers, providerId);
      });
      if (!isWoken) failure = "its dispatcher can't be woken";
      return failure ? [`provider ${providerId}: ${failure}`] : [];
    }),
  );
  return failures.flat();
}

function wake(dispatchers: Dispatchers, providerId: number): Promise<string | null> {
  const name = String(providerId);
  return dispatchers.getByName(name).wake(name);
}

/** Returns the providers that have something to do, so that their dispatchers should be awake. */
export async function providersWithWork(db: Db): Promise<number[]> {
  const some = (table: typeof orders | typeof refills | typeof cancellations, isOpen: SQL) =>
    sql`exists (select 1 from ${table} where ${isOpen} and ${table.providerId} = ${providers.id} limit 1)`;
  const rows = await db
    .select({ id: providers.id })
    .from(providers)
    .where(
      and(
        eq(providers.enabled, true),
        or(
          some(orders, isQueued),
          some(orders, isTracked),
          some(orders, isHeldAtProvider),
          some(refills, isRefillQueued),
          some(refills, isRefillTracked),
          some(cancellations, isCancellationQueued),
        ),
      ),
    );
  return rows.map(({ id }) => id);
}
