import { HISTORY_MAX_MESSAGES, OPENING_MESSAGES } from "#app/support/protocol/history-query.ts";
import { firstSeq } from "./conversation.ts";
import type { RoomClient } from "./room-client.ts";
import { readHistory } from "./room-http.ts";

/** Loads messages before the known ones: a page, or as many as `upTo` needs. Returns false if that failed. */
export async function loadEarlier(room: RoomClient, sessionId: string, upTo?: number): Promise<boolean> {
  for (;;) {
    const first = firstSeq(room.getState());
    if (first <= (upTo ?? 1)) return true;
    const wanted = upTo === undefined ? OPENING_MESSAGES : first - upTo;
    const query = `before=${first}&last=${Math.min(wanted, HISTORY_MAX_MESSAGES)}`;
    const { value } = await readHistory(sessionId, query);
    if (value) room.addEarlier(value);
    // The conversation may have been replaced or left meanwhile.
    if (firstSeq(room.getState()) >= first) return false;
    if (upTo === undefined) return true;
  }
}
