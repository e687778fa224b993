import { formText } from "#app/http/requests/read-form.ts";

/** Returns what `usePasskey` sends: the challenge's token and the authenticator's response, null if it is not JSON. */
export function readPasskeyProof(form: FormData): { challengeId: string; credential: unknown } {
  const challengeId = formText(form, "challengeId");
  try {
    return { challengeId, credential: JSON.parse(formText(form, "credential")) };
  } catch {
    return { challengeId, credential: null };
  }
}
