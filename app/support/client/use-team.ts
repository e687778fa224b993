import { useEffect, useState } from "react";
import { readTeam, type Team } from "./room-http.ts";

const ASK_AGAIN_MS = 60_000;

/** Whether anybody of the team is there, while `watching`. Null before it is known. */
export function useTeam(watching: boolean): Team | null {
  const [team, setTeam] = useState<Team | null>(null);
  useEffect(() => {
    if (!watching) return;
    let current = true;
    const ask = async () => {
      if (document.visibilityState === "hidden") return;
      const answer = await readTeam();
      if (current) setTeam(answer);
    };
    ask();
    const timer = setInterval(ask, ASK_AGAIN_MS);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [watching]);
  return team;
}
