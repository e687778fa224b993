import { listEndedWithSockets, markSocketsClosed } from "#app/accounts/session/session-sockets.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { closeSockets } from "#app/support/room/close-sockets.server.ts";

/**
 * Closes the chat sockets of sessions that have ended, then marks them as closed: one that is interrupted is repeated.
 * Runs after each request that ended sessions, and once a minute for the rest.
 */
export async function closeEndedSessions(db: Db, env: Env): Promise<void> {
  const ended = await listEndedWithSockets(db, Date.now());
  const byUser = Map.groupBy(ended, ({ userId }) => userId);
  const results = await Promise.allSettled(
    [...byUser].map(async ([userId, sessions]) => {
      const sessionIds = sessions.map(({ id }) => id);
      await closeSockets(env, userId, sessionIds);
      await markSocketsClosed(db, sessionIds);
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}
