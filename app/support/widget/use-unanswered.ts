import { useEffect, useState } from "react";
import type { Team } from "#app/support/client/room-http.ts";
import type { RoomState } from "#app/support/client/room-state.ts";
import { isAnonymous } from "#app/support/protocol/session-id.ts";
import { MINUTE_MS } from "#app/time.ts";

const WAITED_MS = 2 * MINUTE_MS;

/**
 * Returns whether a visitor without an account or an address has written, and nobody answers: the team is away, or has not
 * answered for a while.
 */
export function useIsUnanswered(state: RoomState | null, team: Team | null): boolean {
  const [waitedSince, setWaitedSince] = useState(0);
  const session = state?.session;
  const last = state?.messages.findLast(({ sender_type }) => sender_type !== "system");
  const canAsk = session?.status === "open" && session.user_email === null && isAnonymous(session.session_id);
  const since = canAsk && last?.sender_type === "user" ? last.created_at : 0;
  const isAway = team?.online === false && state?.presence.agents === 0;

  useEffect(() => {
    if (since === 0) return;
    // The browser's clock may be wrong.
    const left = Math.min(WAITED_MS, Math.max(0, since + WAITED_MS - Date.now()));
    const timer = setTimeout(() => setWaitedSince(since), left);
    return () => clearTimeout(timer);
  }, [since]);
  return since > 0 && (isAway || waitedSince === since);
}
