import type { RoomState } from "#app/support/client/room-client.ts";
import type { Team } from "#app/support/client/room-http.ts";

const BACK = new Intl.DateTimeFormat(undefined, { weekday: "long", hour: "2-digit", minute: "2-digit" });

/** Returns the line below the panel's title. `room`: null before a conversation. `team`: null until known. */
export function statusText(room: RoomState | null, team: Team | null): string {
  if (room && room.connection !== "live" && room.connection !== "polling") return "Connecting…";
  if (room && room.typing !== null) return `${room.typing} is typing…`;
  if (room && room.presence.agents > 0) return "An agent is here";
  if (team === null) return "";
  if (team.online) return "The team is online";
  if (team.backAt !== null) return `Away now · Back ${BACK.format(team.backAt)}`;
  return room?.session?.user_email ? "Away now · We'll reply by email" : "Away now · We'll reply here";
}
