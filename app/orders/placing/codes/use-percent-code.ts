import { useEffect, useState } from "react";
import type { CheckedCode } from "../quotes/quoted-price.ts";
import type { CodeAnswer } from "./check-code.server.ts";

const FAILED = "The code couldn't be checked. Try again, or place the order: it is checked then.";

/**
 * Keeps what the form knows of the typed code. Without scripts, or unchecked, the code is sent with the order all the
 * same. `carried` is what the initial code does, if the server told it with the page. A code that an order was refused for
 * takes nothing off any more.
 */
export function usePercentCode(initial: string, carried: CheckedCode | null, refused: { field: string | null } | null) {
  const [typed, setTyped] = useState(initial);
  const [checked, setChecked] = useState<CheckedCode | null>(initial === "" ? null : carried);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  useEffect(() => {
    if (refused?.field === "code") setChecked(null);
  }, [refused]);

  function type(text: string) {
    setTyped(text);
    setChecked(null);
    setError(undefined);
  }

  async function check() {
    setBusy(true);
    const answer = await askForCode(typed);
    setBusy(false);
    setChecked(answer.ok ? answer.code : null);
    setError(answer.ok ? undefined : answer.text);
  }

  return { typed, type, checked, error, isBusy, check };
}

async function askForCode(code: string): Promise<CodeAnswer> {
  try {
    const response = await fetch("/dashboard/percent-code", { method: "POST", body: new URLSearchParams({ code }) });
    return (await response.json()) as CodeAnswer;
  } catch {
    return { ok: false, text: FAILED };
  }
}
