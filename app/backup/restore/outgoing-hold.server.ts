import { boundedDatabase } from "#app/db/bounded-database.server.ts";

/**
 * A restored copy has the keys of real providers and the addresses of real people. Nothing is sent from it until the operator
 * releases it: dispatchers sleep, and the jobs that call others are left out. Only whoever restores writes these rows, and a
 * backup does not hold them.
 */

/** Holds what a copy sends. Called before its first row is restored, so that half a restore is held, too. Repeatable. */
export async function holdOutgoing(main: D1Database, backupId: string, now: number): Promise<void> {
  await main
    .prepare(
      `insert into backup_restores (backup_id, restored_at) values (?, ?)
       on conflict (backup_id) do update set restored_at = excluded.restored_at, released_at = null`,
    )
    .bind(backupId, now)
    .run();
}

/** Lets a restored copy send. Returns whether it was held. */
export async function releaseOutgoing(main: D1Database, now: number): Promise<boolean> {
  const released = await main
    .prepare("update backup_restores set released_at = ? where released_at is null returning 1")
    .bind(now)
    .all();
  return released.results.length > 0;
}

/** Reads no row of a copy that was never restored. */
export async function isOutgoingHeld(main: D1Database): Promise<boolean> {
  const held = await boundedDatabase(main)
    .prepare("select 1 from backup_restores where released_at is null limit 1")
    .first();
  return held !== null;
}
