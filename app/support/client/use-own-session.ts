import { useCallback, useEffect, useState } from "react";
import { SESSION_KEY } from "#app/support/protocol/session-id.ts";
import { type OwnSession, readOwnSession } from "./own-session.ts";

type State = { state: "loading" } | { state: "failed" } | ({ state: "known" } & OwnSession);

/** Reads this browser's conversation, and reads it again when another tab starts one. */
export function useOwnSession() {
  const [own, setOwn] = useState<State>({ state: "loading" });
  const load = useCallback(() => {
    setOwn({ state: "loading" });
    readOwnSession().then(
      (read) => setOwn({ state: "known", ...read }),
      () => setOwn({ state: "failed" }),
    );
  }, []);
  useEffect(load, [load]);
  useEffect(() => {
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key === SESSION_KEY && newValue !== null) load();
    };
    window.addEventListener("storage", onStorage);
    return () => window.removeEventListener("storage", onStorage);
  }, [load]);
  return { own, setOwn, load };
}
