import { useEffect, useState } from "react";
import { readTeam, type Team } from "./room-http.ts";

const REFRESH_MS = 60_000;

/** Returns whether the team is online, refreshed while `isShown`. Null until known. */
export function useTeam(isShown: boolean): Team | null {
  const [team, setTeam] = useState<Team | null>(null);
  useEffect(() => {
    if (!isShown) return;
    let isCurrent = true;
    const refresh = async () => {
      if (document.visibilityState === "hidden") return;
      const read = await readTeam();
      if (isCurrent) setTeam(read);
    };
    void refresh();
    const timer = setInterval(refresh, REFRESH_MS);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [isShown]);
  return team;
}
