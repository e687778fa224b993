import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { outsideJson } from "#app/http/outside-json.ts";
import { formText } from "#app/http/requests/read-form.ts";

/** A response of WebAuthn has two dozen objects, lists and members. */
const MAX_PARTS = 200;

/** An authenticator's response, the token of its challenge, and the browser that the challenge must be bound to. */
export type PasskeyProof = { challengeId: string; credential: unknown; browser: string };

/** Returns what `usePasskey` sends from this browser. The response is null if it is not JSON. */
export function readPasskeyProof(form: FormData, { passkeyBrowser }: Pick<Visit, "passkeyBrowser">): PasskeyProof {
  const credential = outsideJson(formText(form, "credential"), MAX_PARTS);
  return { challengeId: formText(form, "challengeId"), credential, browser: passkeyBrowser };
}
