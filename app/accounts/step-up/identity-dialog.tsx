import { Form } from "@remix-run/react";
import { type FormEvent, useState } from "react";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import type { Question } from "./confirm-identity.ts";
import { CodeProofForm, PasswordProofForm } from "./proof-forms.tsx";
import type { ProofResult } from "./proof-result.ts";

/** Asks for a password or a code. `settle` gets whether the server accepted one. */
export function IdentityDialog({ methods, settle }: Question) {
  const [isCode, setIsCode] = useState(false);
  const { submit, ...form } = useProof(settle);
  return (
    <Dialog
      open
      onOpenChange={() => settle(false)}
      title="Confirm it's you"
      description="For your security, prove who you are to continue. We won't ask again for ten minutes."
    >
      <div className="flex flex-col gap-3">
        {isCode ? (
          <CodeProofForm {...form} hasTotp={methods.hasTotp} onSubmit={submit} />
        ) : (
          <PasswordProofForm {...form} onSubmit={submit} />
        )}
        {methods.hasCodes && (
          <Button variant="quiet" onClick={() => setIsCode(!isCode)}>
            {isCode ? "Use your password" : "Use a code"}
          </Button>
        )}
        <Button variant="secondary" onClick={() => settle(false)}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}

const FAILED: ProofResult = { intent: "", ok: false, message: "We couldn't reach the server. Try again." };

/**
 * Posts proofs with `fetch`: a form of the router would reload the data of the page behind the dialog, and reset the form
 * that waits there.
 */
function useProof(settle: Question["settle"]) {
  const [sent, setSent] = useState<FormData>();
  const [result, setResult] = useState<ProofResult | null>(null);

  async function post(formData: FormData) {
    setSent(formData);
    const received = await postProof(formData);
    setSent(undefined);
    if (received.ok) settle(true);
    else setResult(received);
  }
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!sent) post(new FormData(event.currentTarget));
  }
  const state: "submitting" | "idle" = sent ? "submitting" : "idle";
  const sender = { Form, state, formData: sent, formAction: undefined, data: undefined };
  return { submit, result, sender };
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
