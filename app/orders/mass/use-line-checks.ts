import { useCallback, useEffect, useRef, useState } from "react";
import type { CheckedLine, CheckedMass } from "./check-mass-order.server.ts";
import { csvOf, type SheetRow, textOf } from "./sheet-rows.ts";

const CHECK_PATH = "/dashboard/orders/mass/check";
/** How long typing has to rest before its rows are checked. */
const REST_MS = 400;
const UNREACHED = "The lines couldn't be checked. Check your connection and try again.";

export type LineCheck =
  | { ok: true; name: string; charge: number; doubt: string | null; target: string | null }
  | { ok: false; error: string; column: string | null };
export type LineChecks = ReadonlyMap<string, LineCheck>;

/** Asks the server to read and check lines in any format that a mass order takes. */
export async function checkOnServer(lines: string): Promise<CheckedMass> {
  try {
    const response = await fetch(CHECK_PATH, { method: "POST", body: new URLSearchParams({ lines }) });
    const isRead = response.headers.get("Content-Type")?.startsWith("application/json") === true;
    if (isRead && response.ok) return await response.json();
    if (response.redirected) return { ok: false, text: "Your session has ended. Log in again: your lines are kept." };
    return { ok: false, text: response.status === 413 ? await response.text() : UNREACHED };
  } catch {
    return { ok: false, text: UNREACHED };
  }
}

/** Returns a checked line as cells of the sheet. */
export function cellsOf({ service, link, quantity, others }: CheckedLine): Record<string, string> {
  return { service, link, quantity, ...others };
}

/**
 * Checks rows on the server once typing rests, each text once. `learn` takes results that came another way, for rows in
 * their order. `failure` is why rows are unchecked, until `retry`.
 */
export function useLineChecks(rows: SheetRow[]) {
  const [checks, setChecks] = useState<LineChecks>(new Map());
  const [failure, setFailure] = useState<string | null>(null);
  const asking = useRef(false);
  const unchecked = rows.filter((row) => textOf(row) !== "" && !checks.has(textOf(row)));

  const learn = useCallback((texts: string[], lines: CheckedLine[], { forget = false } = {}) => {
    setChecks((known) => {
      const next = new Map(forget ? [] : known);
      for (const [index, text] of texts.entries()) {
        const line = lines[index];
        if (line) next.set(text, line.ok ? accepted(line) : refused(line));
      }
      return next;
    });
  }, []);

  const isWaiting = unchecked.length > 0 && failure === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the rows starts the wait anew
  useEffect(() => {
    if (!isWaiting || asking.current) return;
    const timer = setTimeout(async () => {
      asking.current = true;
      const checked = await checkOnServer(csvOf(unchecked));
      asking.current = false;
      if (checked.ok) learn(unchecked.map(textOf), checked.lines);
      else setFailure(checked.text);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [rows, checks, isWaiting, learn]);

  const retry = useCallback(() => setFailure(null), []);
  return { checks, unchecked: unchecked.length, failure, retry, learn };
}

function accepted({ name, charge, doubt, target }: CheckedLine & { ok: true }): LineCheck {
  return { ok: true, name, charge, doubt, target };
}

function refused({ error, column }: CheckedLine & { ok: false }): LineCheck {
  return { ok: false, error, column };
}
