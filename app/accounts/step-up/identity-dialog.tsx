import KeyRound from "lucide-react/icons/key-round";
import { useState } from "react";
import { hasPasskeys } from "#app/accounts/factors/ask-for-passkey.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { Question } from "./confirm-identity.ts";
import { CodeProofForm, PasswordProofForm } from "./proof-forms.tsx";
import { useProof } from "./use-proof.ts";

/** Asks for a password, a code or a passkey. `settle` gets whether the server accepted one. */
export function IdentityDialog({ methods, settle }: Question) {
  const [isCode, setIsCode] = useState(false);
  const { submit, askPasskey, isAskingPasskey, passkeyError, ...form } = useProof(settle);
  return (
    <Dialog
      open
      onOpenChange={() => settle(false)}
      title="Confirm it's you"
      description="For your security, prove who you are to continue. We won't ask again for ten minutes."
    >
      <div className="flex flex-col gap-3">
        {methods.hasPasskeys && hasPasskeys() && (
          <>
            {passkeyError && <Notice tone="bad">{passkeyError}</Notice>}
            <Button onClick={askPasskey} busy={isAskingPasskey}>
              <KeyRound aria-hidden className="size-4" />
              Use a passkey
            </Button>
          </>
        )}
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
