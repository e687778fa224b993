/** The paid plan's limit per database: https://developers.cloudflare.com/d1/platform/limits/ */
const DEFAULT_LIMIT_GB = 10;
const GIGABYTE = 1_000_000_000;

/** Returns the size of a database in bytes. Reads no row: every D1 result carries it. */
export async function readDatabaseSize(database: D1Database): Promise<number> {
  const { meta } = await database.prepare("select 1").run();
  return meta.size_after;
}

/** Returns how large a database may become, in bytes. */
export function databaseLimit({ DATABASE_LIMIT_GB }: Pick<Env, "DATABASE_LIMIT_GB">): number {
  const given = Number(DATABASE_LIMIT_GB);
  return (given > 0 ? given : DEFAULT_LIMIT_GB) * GIGABYTE;
}
