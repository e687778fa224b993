import type { FormResult } from "#app/components/forms/form-result.ts";

/** Ways to prove who you are besides the password. `hasCodes`: by an authenticator app or recovery codes. */
export type ProofMethods = { hasPasskeys: boolean; hasCodes: boolean; hasTotp: boolean };

/** The response of `/auth/proof` to GET. */
export type ProofStatus = { isRecent: boolean; methods: ProofMethods };
/** The response of `/auth/proof` to POST: `ok` once the proof is recorded. */
export type ProofResult = FormResult;
