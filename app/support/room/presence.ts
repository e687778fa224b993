import type { Side } from "#app/support/protocol/frames.ts";

/** A browser pings every 25 s. Without a ping for this long, its connection is dead. */
export const STALE_MS = 35_000;

export type Connection = { side: Side; author: string; name: string; seenAt: number };

/** Returns when to look at the connections again, in ms since 1970, or null while nobody is there to be told. */
export function nextPresenceCheck(connections: Connection[], now: number): number | null {
  if (new Set(connections.map(({ author }) => author)).size < 2) return null;
  // One that has gone quiet may come back.
  const ends = connections.map((one) => (isLive(one, now) ? one.seenAt : now) + STALE_MS);
  return Math.min(...ends);
}

/** Counts recent connections only: a socket cut off in one direction still looks open to the room. */
export function presenceOf(connections: Connection[], now: number): { user: boolean; agents: number } {
  const isHere = connections.some((one) => one.side === "user" && isLive(one, now));
  return { user: isHere, agents: agentsOf(connections, now).length };
}

/** Returns each connected agent once, however many windows are open. */
export function agentsOf(connections: Connection[], now: number): { id: string; name: string }[] {
  const agents = connections.filter((one) => one.side === "admin" && isLive(one, now));
  return [...new Map(agents.map(({ author, name }) => [author, { id: author, name }])).values()];
}

export function isLive(connection: Connection, now: number): boolean {
  return now - connection.seenAt < STALE_MS;
}
