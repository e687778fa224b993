import { useCallback, useEffect, useState } from "react";
import { SESSION_KEY } from "#app/support/protocol/session-id.ts";
import { type OwnSession, readOwnSession, storedSessionId } from "./own-session.ts";

type State = { state: "loading" } | { state: "failed" } | ({ state: "known" } & OwnSession);

/**
 * Reads this browser's conversation, and reads it again when another tab starts one. `loadForm`: loads the form that starts
 * one, and is called if there is none.
 */
export function useOwnSession(loadForm: () => Promise<void>) {
  const [own, setOwn] = useState<State>({ state: "loading" });
  const load = useCallback(() => {
    setOwn({ state: "loading" });
    const isNew = storedSessionId() === null;
    Promise.all([readOwnSession(), isNew && loadForm()])
      .then(async ([read]) => {
        if (!read.session && !isNew) await loadForm();
        setOwn({ state: "known", ...read });
      })
      .catch(() => setOwn({ state: "failed" }));
  }, [loadForm]);
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
