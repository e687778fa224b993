import type { DeviceKind } from "#app/db/schema.server.ts";
import { sendByFcm } from "./fcm.server.ts";
import { type BrowserKeys, encryptMessage } from "./message-encryption.server.ts";
import type { PushContent } from "./push-content.ts";
import { outcomeOfError, outcomeOfStatus, type PushOutcome } from "./push-outcome.ts";
import { isPushServiceUrl } from "./push-service-url.ts";
import { vapidHeader, vapidKeys } from "./vapid.server.ts";

/** Where a device is reached: a browser's subscription, or a phone's token. */
export type Target = { endpoint: string; keys: BrowserKeys } | { token: string };
export type PushEnv = Pick<
  Env,
  "ENVIRONMENT" | "ENCRYPTION_KEYS" | "VAPID_KEYS" | "EMAIL_FROM" | "FCM_SERVICE_ACCOUNT" | "FCM_API_URL"
>;
/** `id`: of the event. A device that has shown it does not show it again. */
export type Message = PushContent & { id: string };
/** `urgent`: a person waits for it. */
type Options = { ttlSeconds: number; topic: string; urgent: boolean };

const TIMEOUT_MS = 10_000;
/** Every message is padded to this length, so that a push service can't tell them apart. */
const PADDED_BYTES = 1024;

/** Sends one notification to one device. Never throws. */
export async function sendPush(
  env: PushEnv,
  { kind, target, serverKey }: { kind: DeviceKind; target: Target; serverKey: string },
  message: Message,
  options: Options,
): Promise<PushOutcome> {
  try {
    if ("token" in target) return await sendByFcm(env, kind, target.token, message, options);
    const keys = vapidKeys(env);
    // A missing setting comes back. A key that others replaced does not, and the browser takes messages by no other.
    if (keys.length === 0) throw new Error("VAPID_KEYS is not set");
    const key = keys.find(({ publicKey }) => publicKey === serverKey);
    if (!key) return { kind: "gone" };
    // Checks again: the rules may have changed since the browser subscribed.
    if (!isPushServiceUrl(target.endpoint, env.ENVIRONMENT === "local")) return { kind: "gone" };
    const plain = new TextEncoder().encode(JSON.stringify(message));
    const response = await fetch(target.endpoint, {
      method: "POST",
      headers: {
        Authorization: await vapidHeader(env, key, target.endpoint),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        TTL: String(options.ttlSeconds),
        Topic: options.topic,
        Urgency: options.urgent ? "high" : "normal",
      },
      body: await encryptMessage(plain, target.keys, { padTo: PADDED_BYTES }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return outcomeOfStatus(response.status, response.headers.get("Retry-After"), Date.now());
  } catch (error) {
    return outcomeOfError(error);
  }
}
