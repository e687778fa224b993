import { Form } from "@remix-run/react";
import { type FormEvent, useState } from "react";
import { askForPasskey } from "#app/accounts/factors/browser/ask-for-passkey.ts";
import { NO_PASSKEY } from "#app/accounts/factors/browser/use-passkey.ts";
import type { Question } from "./confirm-identity.ts";
import type { ProofResult } from "./proof-result.ts";

const FAILED: ProofResult = { intent: "", ok: false, message: "We couldn't reach the server. Try again." };

/**
 * Posts proofs with `fetch`: a form of the router would reload the data of the page behind the dialog, and reset the form
 * that waits there.
 */
export function useProof(settle: Question["settle"]) {
  const [sent, setSent] = useState<FormData>();
  const [result, setResult] = useState<ProofResult | null>(null);
  const [isAskingPasskey, setIsAskingPasskey] = useState(false);
  const [passkeyError, setPasskeyError] = useState<string>();

  async function post(formData: FormData) {
    setSent(formData);
    const received = await postProof(formData);
    setSent(undefined);
    if (received.ok) settle(true);
    else if (received.intent === "passkey") setPasskeyError(received.message);
    else setResult(received);
  }
  async function askPasskey() {
    setIsAskingPasskey(true);
    setPasskeyError(undefined);
    const asked = await askForPasskey("confirm");
    setIsAskingPasskey(false);
    if (!asked.ok) return setPasskeyError(NO_PASSKEY[asked.reason]);
    const formData = new FormData();
    for (const [name, value] of Object.entries({ intent: "passkey", ...asked.fields })) formData.set(name, value);
    await post(formData);
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!sent) void post(new FormData(event.currentTarget));
  }
  const state: "submitting" | "idle" = sent ? "submitting" : "idle";
  const sender = { Form, state, formData: sent, formAction: undefined, data: undefined };
  return { submit, askPasskey, isAskingPasskey, passkeyError, result, sender };
}

async function postProof(formData: FormData): Promise<ProofResult> {
  const failed = { ...FAILED, intent: String(formData.get("intent")) };
  try {
    const response = await fetch("/auth/proof", {
      method: "POST",
      body: new URLSearchParams([...formData] as [string, string][]),
    });
    if (response.status === 401) location.reload();
    return response.headers.get("Content-Type")?.includes("json") ? await response.json() : failed;
  } catch {
    return failed;
  }
}
