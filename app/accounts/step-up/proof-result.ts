import type { FormResult } from "#app/components/forms/form-result.ts";

/**
 * Ways to prove who you are. The password is one only where the account has no other factor. `hasCodes`: by an
 * authenticator app or recovery codes.
 */
export type ProofMethods = { hasPassword: boolean; hasPasskeys: boolean; hasCodes: boolean; hasTotp: boolean };

/** The response of `/auth/proof` to GET. */
export type ProofStatus = { isRecent: boolean; methods: ProofMethods };
/** The response of `/auth/proof` to POST: `ok` once the proof is recorded. */
export type ProofResult = FormResult;
