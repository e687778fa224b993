import { boundedDatabase } from "#app/db/bounded-database.server.ts";
import { runLogged } from "#app/http/log.ts";

/** The paid plan's limit per database: https://developers.cloudflare.com/d1/platform/limits/ */
const DEFAULT_LIMIT_GB = 10;
const GIGABYTE = 1_000_000_000;
/** From here on, somebody has to move data before D1 refuses writes. */
export const FULL_RATIO = 0.7;

export const DATABASES = ["DB", "DB_SUPPORT"] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** Returns the size of each database in bytes, without those that can't be read. Reads no row: every D1 result has it. */
export async function readDatabaseSizes(env: Pick<Env, DatabaseName>): Promise<Partial<Record<DatabaseName, number>>> {
  const sizes: Partial<Record<DatabaseName, number>> = {};
  await Promise.all(
    DATABASES.map((name) =>
      runLogged("database size not read", { database: name }, async () => {
        const { meta } = await boundedDatabase(env[name]).prepare("select 1").run();
        sizes[name] = meta.size_after;
      }),
    ),
  );
  return sizes;
}

/** Returns how large a database may become, in bytes. */
export function databaseLimit({ DATABASE_LIMIT_GB }: Pick<Env, "DATABASE_LIMIT_GB">): number {
  const given = Number(DATABASE_LIMIT_GB);
  return (given > 0 ? given : DEFAULT_LIMIT_GB) * GIGABYTE;
}
