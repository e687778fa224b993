import { isUnavailable } from "#app/db/bounded-database.server.ts";
import { logError } from "#app/http/log.ts";

type Fields = Parameters<typeof logError>[2];

/**
 * Runs `work` on one of several rows and returns whether it succeeded. Logs a thrown error, so that one failing row never
 * stops the next. Throws if the database is unavailable: each of the others would wait for it in turn.
 */
export async function runWhileAvailable(
  message: string,
  fields: Fields,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    logError(message, error, fields);
    return false;
  }
}
