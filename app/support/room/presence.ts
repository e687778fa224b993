import type { Side } from "#app/support/protocol/frames.ts";

/** A browser pings every 25 s; after two missed pings it counts as gone. */
const STALE_MS = 60_000;

export type Connection = { side: Side; author: string; name: string; seenAt: number };

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

function isLive(connection: Connection, now: number): boolean {
  return now - connection.seenAt < STALE_MS;
}
