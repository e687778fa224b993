import KeyRound from "lucide-react/icons/key-round";
import { hasPasskeys } from "#app/accounts/factors/browser/ask-for-passkey.ts";
import { NO_FACTOR_HERE } from "#app/accounts/factors/factor-texts.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Dialog } from "#app/components/ui/dialog.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { Question } from "./confirm-identity.ts";
import { CodeProofForm, PasswordProofForm } from "./proof-forms.tsx";
import { useProof } from "./use-proof.ts";

/** Asks for the password, or for a code or a passkey where the account has any. `settle` gets whether the server accepted one. */
export function IdentityDialog({ methods, settle }: Question) {
  const { submit, askPasskey, isAskingPasskey, passkeyError, ...form } = useProof(settle);
  const canUsePasskey = methods.hasPasskeys && hasPasskeys();
  return (
    <Dialog
      open
      onOpenChange={() => settle(false)}
      title="Confirm it's you"
      description="For your security, prove who you are to continue. We won't ask again for ten minutes."
    >
      <div className="flex flex-col gap-3">
        {canUsePasskey && (
          <>
            {passkeyError && <Notice tone="bad">{passkeyError}</Notice>}
            <Button onClick={askPasskey} busy={isAskingPasskey}>
              <KeyRound aria-hidden className="size-4" />
              Use a passkey
            </Button>
          </>
        )}
        {methods.hasPassword && <PasswordProofForm {...form} onSubmit={submit} />}
        {methods.hasCodes && <CodeProofForm {...form} hasTotp={methods.hasTotp} onSubmit={submit} />}
        {!(methods.hasPassword || methods.hasCodes || canUsePasskey) && <Notice tone="bad">{NO_FACTOR_HERE}</Notice>}
        <Button variant="secondary" onClick={() => settle(false)}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
