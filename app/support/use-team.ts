import { useEffect, useState } from "react";
import { isTeamOnline } from "./room-http.ts";

const ASK_AGAIN_MS = 60_000;

/** Whether anybody of the team is there, while `watching`. Null before it is known. */
export function useTeamOnline(watching: boolean): boolean | null {
  const [online, setOnline] = useState<boolean | null>(null);
  useEffect(() => {
    if (!watching) return;
    let current = true;
    const ask = async () => {
      if (document.visibilityState === "hidden") return;
      const answer = await isTeamOnline();
      if (current) setOnline(answer);
    };
    ask();
    const timer = setInterval(ask, ASK_AGAIN_MS);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [watching]);
  return online;
}
