import { outsideJson } from "#app/http/outside-json.ts";
import { formText } from "#app/http/requests/read-form.ts";

/** A response of WebAuthn has two dozen objects, lists and members. */
const MAX_PARTS = 200;

/** Returns what `usePasskey` sends: the challenge's token and the authenticator's response, null if it is not JSON. */
export function readPasskeyProof(form: FormData): { challengeId: string; credential: unknown } {
  const challengeId = formText(form, "challengeId");
  return { challengeId, credential: outsideJson(formText(form, "credential"), MAX_PARTS) };
}
