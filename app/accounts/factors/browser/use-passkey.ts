import { useNavigation, useSubmit } from "@remix-run/react";
import { useEffect, useState } from "react";
import { MINUTE_MS } from "#app/time.ts";
import { askForPasskey, canOfferInAutofill, hasPasskeys, type PasskeyPurpose, stopAsking } from "./ask-for-passkey.ts";

/** Shorter than a challenge lasts. */
const RENEW_MS = 4 * MINUTE_MS;

/** The error texts when the browser returns no passkey. */
export const NO_PASSKEY = {
  dismissed: "No passkey was used. Try again, or use another way.",
  failed: "Your browser couldn't use a passkey. Try again, or use another way.",
};

type Form = { purpose: PasskeyPurpose; action: string; fields?: Record<string, string> };

/**
 * Asks for a passkey and posts it with `fields` as a form of the intent "passkey". `isAvailable` is null until
 * the page's scripts know whether this browser has passkeys.
 */
export function usePasskey({ purpose, action, fields = {} }: Form) {
  const submit = useSubmit();
  const navigation = useNavigation();
  const [isAvailable, setIsAvailable] = useState<boolean | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => setIsAvailable(hasPasskeys()), []);

  async function ask(more: Record<string, string> = {}) {
    setIsAsking(true);
    setError(null);
    const asked = await askForPasskey(purpose);
    setIsAsking(false);
    if (asked.ok) submit({ intent: "passkey", ...fields, ...more, ...asked.fields }, { method: "post", action });
    else setError(NO_PASSKEY[asked.reason]);
  }
  const isSending = navigation.formData?.get("intent") === "passkey";
  return { isAvailable, isBusy: isAsking || isSending, error, ask };
}

/** Offers passkeys in the suggestions of the field with `autocomplete="… webauthn"` while `isOn`. */
export function usePasskeyAutofill(isOn: boolean, { purpose, action, fields = {} }: Form): void {
  const submit = useSubmit();
  const sent = JSON.stringify({ purpose, action, fields });
  useEffect(() => {
    if (!isOn) return;
    let isOver = false;
    let isOffered = false;
    const form = JSON.parse(sent) as Required<Form>;
    async function offer() {
      if (isOver || !(await canOfferInAutofill())) return;
      isOffered = true;
      const asked = await askForPasskey(form.purpose, { inAutofill: true });
      if (asked.ok && !isOver) {
        submit({ intent: "passkey", ...form.fields, ...asked.fields }, { method: "post", action: form.action });
      }
    }
    void offer();
    // A new question ends the one before, whose challenge is about to expire.
    const timer = setInterval(offer, RENEW_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
      if (isOffered) void stopAsking();
    };
  }, [isOn, sent, submit]);
}
