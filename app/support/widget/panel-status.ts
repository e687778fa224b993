import type { Team } from "#app/support/client/room-http.ts";
import type { RoomState } from "#app/support/client/room-state.ts";

const BACK = { weekday: "long", hour: "2-digit", minute: "2-digit" } as const;

/** Returns the line below the panel's title. `room`: null before a conversation. `team`: null until known. */
export function statusText(room: RoomState | null, team: Team | null, locale: string): string {
  if (room && room.connection !== "live" && room.connection !== "polling") return "Connecting…";
  if (room && room.typing !== null) return typingText(room.typing);
  if (room && room.presence.agents > 0) return "An agent is here";
  if (team === null) return "";
  if (team.online) return "The team is online";
  if (team.backAt !== null) return `Away now · Back ${new Intl.DateTimeFormat(locale, BACK).format(team.backAt)}`;
  return room?.session?.user_email ? "Away now · We'll reply by email" : "Away now · We'll reply here";
}

/** `said`: what a screen reader was told last. `presence`: the status without the typing. */
export type Announced = { said: string; presence: string; lastSeq: number };

/**
 * Returns what to tell a screen reader. Somebody who pauses and types on is told of once per message, though the status
 * line follows them.
 */
export function announce(
  before: Announced,
  now: { presence: string; typing: string | null; lastSeq: number },
): Announced {
  const { presence, typing, lastSeq } = now;
  const isNews = presence !== before.presence;
  const silent = lastSeq === before.lastSeq ? before.said : "";
  const said = isNews ? presence : typing === null ? silent : typingText(typing);
  return { said, presence, lastSeq };
}

function typingText(name: string): string {
  return `${name} is typing…`;
}
