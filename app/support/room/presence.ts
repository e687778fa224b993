import type { Side } from "#app/support/protocol/frames.ts";

/** A browser pings every 25 s; two missed pings and it is taken for gone. */
const STALE_MS = 60_000;

export type Connected = { side: Side; author: string; name: string; seenAt: number };

/** Who is here: sockets that were cut off one-way still look open to the room, so only recent ones count. */
export function presenceOf(sockets: Connected[], now: number): { user: boolean; agents: number } {
  const isHere = sockets.some((socket) => socket.side === "user" && isLive(socket, now));
  return { user: isHere, agents: agentsOf(sockets, now).length };
}

/** Each of the team once, however many windows are open. */
export function agentsOf(sockets: Connected[], now: number): { id: string; name: string }[] {
  const agents = sockets.filter((socket) => socket.side === "admin" && isLive(socket, now));
  return [...new Map(agents.map(({ author, name }) => [author, { id: author, name }])).values()];
}

function isLive(socket: Connected, now: number): boolean {
  return now - socket.seenAt < STALE_MS;
}
