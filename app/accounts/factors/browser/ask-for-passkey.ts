import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";

export type PasskeyPurpose = "log_in" | "second_step" | "confirm" | "register";
/** The fields that `readPasskeyProof` reads. */
export type PasskeyFields = { challengeId: string; credential: string };
/** `dismissed`: the person closed the browser's question, or it ended without a passkey. */
export type AskedPasskey = { ok: true; fields: PasskeyFields } | { ok: false; reason: "dismissed" | "failed" };

/** Returns whether this browser has passkeys. The native app's web view may have none. */
export function hasPasskeys(): boolean {
  return typeof window !== "undefined" && typeof window.PublicKeyCredential === "function";
}

/** Asks the browser to create a passkey, or to use one. `inAutofill` waits until the person picks one in a field. */
export async function askForPasskey(purpose: PasskeyPurpose, { inAutofill = false } = {}): Promise<AskedPasskey> {
  try {
    const [library, response] = await Promise.all([
      import("@simplewebauthn/browser"),
      fetch("/auth/passkey-options", { method: "POST", body: new URLSearchParams({ purpose }) }),
    ]);
    if (!response.ok) return { ok: false, reason: "failed" };
    const { challengeId, options } = (await response.json()) as { challengeId: string; options: unknown };
    const credential =
      purpose === "register"
        ? await library.startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON })
        : await library.startAuthentication({
            optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
            useBrowserAutofill: inAutofill,
          });
    return { ok: true, fields: { challengeId, credential: JSON.stringify(credential) } };
  } catch (error) {
    const isDismissed = error instanceof Error && /^(NotAllowedError|AbortError)$/.test(error.name);
    return { ok: false, reason: isDismissed ? "dismissed" : "failed" };
  }
}

/** Returns whether the browser can offer passkeys in the suggestions of a field. */
export async function canOfferInAutofill(): Promise<boolean> {
  if (!hasPasskeys()) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

/** Ends the browser's question that is open, if any. */
export async function stopAsking(): Promise<void> {
  const { WebAuthnAbortService } = await import("@simplewebauthn/browser");
  WebAuthnAbortService.cancelCeremony();
}
