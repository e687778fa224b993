import { Webhook } from "standardwebhooks";
import { unseal } from "#app/crypto/seal.server.ts";
import type { webhookEndpoints } from "#app/db/schema.server.ts";
import { isPublicUrl } from "#app/http/outgoing/public-url.ts";
import { secretContext, type WebhookEnv } from "./webhook-endpoints.server.ts";

const TIMEOUT_MS = 15_000;
const MAX_ERROR_CHARACTERS = 300;

/** A message with the encrypted secrets of its endpoint. */
type SignedMessage = { endpointId: string; messageId: string; body: string } & Pick<
  typeof webhookEndpoints.$inferSelect,
  "secret" | "previousSecret" | "previousUntil"
>;

export type PostResult = {
  /** HTTP status, or null without a response. */
  status: number | null;
  /** Reason of the failure, or null if the endpoint returned 2xx. */
  error: string | null;
};

/**
 * Posts an event to its endpoint, signed. Follows no redirect and ignores the body of the response. Throws if the secret
 * can't be decrypted, which is no failure of the endpoint.
 */
export async function postWebhook(env: WebhookEnv, message: SignedMessage & { url: string }): Promise<PostResult> {
  const { url, messageId, body } = message;
  // Checks again: the rules may have changed since the endpoint was added.
  if (!isPublicUrl(url, env.ENVIRONMENT === "local")) return { status: null, error: "URL not allowed" };
  const at = new Date();
  const headers = {
    "Content-Type": "application/json",
    "webhook-id": messageId,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": (await signatures(env, message, at)).join(" "),
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return { status: response.status, error: response.ok ? null : `HTTP ${response.status}` };
  } catch (error) {
    return { status: null, error: String(error).slice(0, MAX_ERROR_CHARACTERS) };
  }
}

/** Signs with the current secret and, during a rotation, with the previous one as well. */
async function signatures(
  env: WebhookEnv,
  { endpointId, secret, previousSecret, previousUntil, messageId, body }: SignedMessage,
  at: Date,
): Promise<string[]> {
  const overlaps = (previousUntil ?? 0) > at.getTime();
  const sealed = [secret, ...(overlaps && previousSecret ? [previousSecret] : [])];
  return Promise.all(
    sealed.map(async (value) =>
      new Webhook(await unseal(env.ENCRYPTION_KEYS, secretContext(endpointId), value)).sign(messageId, at, body),
    ),
  );
}
