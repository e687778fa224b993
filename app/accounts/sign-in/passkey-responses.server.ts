import { PASSKEY_ERRORS } from "#app/accounts/factors/factor-texts.ts";
import type { ListedPasskey } from "#app/accounts/factors/factors.server.ts";
import type { RegistrationRefusal } from "#app/accounts/factors/passkeys.server.ts";
import { errorResponse } from "#app/accounts/session/token-responses.server.ts";

/** Builds the responses to the passkey calls of the npm client @supabase/auth-js 2 (its lib/types). */

type Refusal = keyof typeof PASSKEY_ERRORS | RegistrationRefusal;

const REFUSALS: Record<Refusal, [status: number, code: string]> = {
  expired: [400, "webauthn_challenge_expired"],
  refused: [400, "webauthn_verification_failed"],
  unknown_passkey: [400, "webauthn_credential_not_found"],
  already_registered: [422, "webauthn_credential_exists"],
  too_many_passkeys: [422, "too_many_passkeys"],
  email_unconfirmed: [422, "email_not_confirmed"],
};

/** Returns a challenge. The client counts `expires_at` in seconds. */
export function challengeResponse<Options>(made: { challengeId: string; options: Options; expiresAt: number }) {
  const { challengeId: challenge_id, options, expiresAt } = made;
  return noStore({ challenge_id, options, expires_at: Math.floor(expiresAt / 1000) });
}

export function passkeyResponse(passkey: ListedPasskey): Response {
  return noStore(passkeyShape(passkey));
}

export function passkeysResponse(passkeys: ListedPasskey[]): Response {
  return noStore(passkeys.map(passkeyShape));
}

export function passkeyRefusedResponse(reason: Refusal, text: string): Response {
  const [status, code] = REFUSALS[reason];
  return errorResponse(status, code, text);
}

/** Responds alike for another account's passkey and for none. */
export function passkeyNotFound(): Response {
  return errorResponse(404, "webauthn_credential_not_found", PASSKEY_ERRORS.unknown_passkey);
}

function passkeyShape({ id, name, createdAt, lastUsedAt }: ListedPasskey) {
  return {
    id,
    friendly_name: name,
    created_at: new Date(createdAt).toISOString(),
    ...(lastUsedAt !== null && { last_used_at: new Date(lastUsedAt).toISOString() }),
  };
}

function noStore(body: unknown): Response {
  return Response.json(body, { headers: { "Cache-Control": "no-store" } });
}
