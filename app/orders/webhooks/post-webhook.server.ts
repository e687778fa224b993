import { unseal } from "#app/crypto/seal.server.ts";
import type { webhookEndpoints } from "#app/db/schema.server.ts";
import { type PostResult, postSigned } from "#app/http/outgoing/signed-post.ts";
import { secretContext, type WebhookEnv } from "./webhook-endpoints.server.ts";

/** A message with the encrypted secrets of its endpoint. */
type SealedMessage = { endpointId: string; url: string; messageId: string; body: string } & Pick<
  typeof webhookEndpoints.$inferSelect,
  "secret" | "previousSecret" | "previousUntil"
>;

/**
 * Posts an event to its endpoint, signed with the current secret and, during a rotation, with the previous one as well.
 * Throws if a secret can't be decrypted, which is no failure of the endpoint.
 */
export async function postWebhook(env: WebhookEnv, message: SealedMessage): Promise<PostResult> {
  const { endpointId, secret, previousSecret, previousUntil } = message;
  const overlaps = (previousUntil ?? 0) > Date.now();
  const sealed = [secret, ...(overlaps && previousSecret ? [previousSecret] : [])];
  const secrets = await Promise.all(
    sealed.map((value) => unseal(env.ENCRYPTION_KEYS, secretContext(endpointId), value)),
  );
  return postSigned({ ...message, secrets }, { local: env.ENVIRONMENT === "local" });
}
