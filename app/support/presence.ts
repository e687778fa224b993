import type { Side } from "./protocol.ts";

/** A browser pings every 25 s; two missed pings and it is taken for gone. */
const STALE_MS = 60_000;

export type Connected = { side: Side; author: string; seenAt: number };

/** Who is here: sockets that were cut off one-way still look open to the room, so only recent ones count. */
export function presenceOf(sockets: Connected[], now: number): { user: boolean; agents: number } {
  const live = sockets.filter((socket) => now - socket.seenAt < STALE_MS);
  const agents = new Set(live.filter((socket) => socket.side === "admin").map((socket) => socket.author));
  return { user: live.some((socket) => socket.side === "user"), agents: agents.size };
}
