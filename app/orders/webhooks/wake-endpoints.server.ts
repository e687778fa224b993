import { sql } from "drizzle-orm";
import type { Db } from "#app/db/db.server.ts";
import { webhookDeliveries } from "#app/db/schema.server.ts";
import { runLogged } from "#app/http/log.ts";

export type WakeEnv = Pick<Env, "WEBHOOK_DISPATCHER">;

/** Endpoints that one cron run considers. Each run starts at another one, so none is left out for long. */
const ENDPOINTS_PER_RUN = 500;
const CONCURRENT_WAKES = 20;
/** Sorts after every UUID. */
const AFTER_ALL_IDS = "g";

/**
 * Wakes the dispatchers of these endpoints. Logs a failure: cron wakes them within a minute. Returns what those failed with
 * that can't be woken, or whose rounds fail.
 */
export async function wakeEndpoints(env: WakeEnv, endpoints: { endpointId: string }[]): Promise<string[]> {
  const ids = [...new Set(endpoints.map(({ endpointId }) => endpointId))];
  const failures: string[] = [];
  const wake = async (id: string) => {
    let failure: string | null = null;
    const isWoken = await runLogged("dispatcher not woken", { endpoint: id }, async () => {
      failure = await env.WEBHOOK_DISPATCHER.getByName(id).wake(id);
    });
    if (!isWoken) failure = "its dispatcher can't be woken";
    if (failure) failures.push(`endpoint ${id}: ${failure}`);
  };
  for (let at = 0; at < ids.length; at += CONCURRENT_WAKES) {
    await Promise.all(ids.slice(at, at + CONCURRENT_WAKES).map(wake));
  }
  return failures;
}

/** Wakes the dispatchers whose next delivery is due. One that was killed, or whose wake-up was lost, sleeps until then. */
export async function wakeDueEndpoints(db: Db, env: WakeEnv): Promise<string[]> {
  const start = crypto.randomUUID();
  const found = await dueEndpoints(db, { after: start, upTo: AFTER_ALL_IDS });
  if (found.length < ENDPOINTS_PER_RUN) found.push(...(await dueEndpoints(db, { after: "", upTo: start })));
  return wakeEndpoints(env, found.slice(0, ENDPOINTS_PER_RUN));
}

/** Steps from endpoint to endpoint in the index of pending deliveries, so the cost does not follow the deliveries. */
function dueEndpoints(db: Db, { after, upTo }: { after: string; upTo: string }): Promise<{ endpointId: string }[]> {
  return db.all(sql`
    with recursive pending(endpoint_id) as (
      select min(endpoint_id) from ${webhookDeliveries}
        where next_attempt_at is not null and endpoint_id > ${after} and endpoint_id <= ${upTo}
      union all
      select (select min(endpoint_id) from ${webhookDeliveries}
        where next_attempt_at is not null and endpoint_id > pending.endpoint_id and endpoint_id <= ${upTo})
      from pending where pending.endpoint_id is not null
      limit ${ENDPOINTS_PER_RUN}
    )
    select endpoint_id as endpointId from pending
    where (select next_attempt_at from ${webhookDeliveries}
      where next_attempt_at is not null and endpoint_id = pending.endpoint_id order by id limit 1) <= ${Date.now()}`);
}
