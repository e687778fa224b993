import { importPKCS8, SignJWT } from "jose";
import { z } from "zod";
import type { DeviceKind } from "#app/db/schema.server.ts";
import { outsideJson } from "#app/http/outside-json.ts";
import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { MINUTE_MS } from "#app/time.ts";
import type { PushContent } from "./push-content.ts";
import { outcomeOfStatus, type PushOutcome } from "./push-outcome.ts";

/** Firebase Cloud Messaging (HTTP v1), which reaches the apps on Android and iOS. */

type FcmEnv = Pick<Env, "FCM_SERVICE_ACCOUNT" | "FCM_API_URL">;

const serviceAccount = z.object({
  project_id: z.string(),
  client_email: z.string(),
  private_key: z.string(),
  token_uri: z.url().default("https://oauth2.googleapis.com/token"),
});
const granted = z.object({ access_token: z.string(), expires_in: z.number() });
const failure = z.object({
  error: z.object({ status: z.string(), details: z.array(z.object({ errorCode: z.string().optional() })).catch([]) }),
});

const SCOPE = "https://www.googleapis.com/auth/firebase.messaging";
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;
/** Objects, lists and members. */
const MAX_PARTS = 1000;
/** A token is replaced this long before its end. */
const TOKEN_MARGIN_MS = 5 * MINUTE_MS;

export const FCM_HOST = "fcm.googleapis.com";

/** The token of this isolate. A lost one costs a request. */
let cached: { account: string; token: string; until: number } | null = null;

/** Returns whether the service account is set, so that phones can be reached. */
export function hasFcm({ FCM_SERVICE_ACCOUNT }: FcmEnv): boolean {
  return Boolean(FCM_SERVICE_ACCOUNT);
}

/** Sends to one phone. Throws if Google can't be reached. */
export async function sendByFcm(
  env: FcmEnv,
  kind: DeviceKind,
  token: string,
  { id, title, body, path, tag }: PushContent & { id: string },
  { ttlSeconds, topic, urgent }: { ttlSeconds: number; topic: string; urgent: boolean },
): Promise<PushOutcome> {
  const account = serviceAccount.parse(JSON.parse(env.FCM_SERVICE_ACCOUNT ?? "null"));
  const expires = Math.floor(Date.now() / 1000) + ttlSeconds;
  const system =
    kind === "ios"
      ? {
          apns: {
            headers: {
              "apns-collapse-id": topic,
              "apns-expiration": String(expires),
              "apns-priority": urgent ? "10" : "5",
            },
            payload: { aps: { "thread-id": tag, sound: "default" } },
          },
        }
      : {
          android: {
            collapse_key: topic,
            ttl: `${ttlSeconds}s`,
            priority: urgent ? "HIGH" : "NORMAL",
            notification: { tag, sound: "default" },
          },
        };
  const response = await fetch(
    `${env.FCM_API_URL ?? `https://${FCM_HOST}`}/v1/projects/${account.project_id}/messages:send`,
    {
      method: "POST",
      headers: { Authorization: `Bearer ${await accessToken(account)}`, "Content-Type": "application/json" },
      body: JSON.stringify({ message: { token, notification: { title, body }, data: { id, path, tag }, ...system } }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    },
  );
  if (response.ok) {
    await response.body?.cancel();
    return { kind: "sent" };
  }
  const code = await errorCode(response);
  // Another 404 is about our project, and a phone must not lose its notifications by a wrong setting.
  if (code === "UNREGISTERED") return { kind: "gone" };
  if (code === "INVALID_ARGUMENT") return { kind: "refused", error: `HTTP ${response.status} ${code}` };
  if (response.status === 401) cached = null;
  const outcome = outcomeOfStatus(response.status, response.headers.get("Retry-After"), Date.now());
  return outcome.kind === "retry" ? outcome : { kind: "retry", error: `HTTP ${response.status} ${code}`, waitMs: 0 };
}

async function accessToken(account: z.infer<typeof serviceAccount>): Promise<string> {
  if (cached?.account === account.client_email && cached.until > Date.now()) return cached.token;
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(account.client_email)
    .setAudience(account.token_uri)
    .setIssuedAt()
    .setExpirationTime("1h")
    .sign(await importPKCS8(account.private_key, "RS256"));
  const response = await fetch(account.token_uri, {
    method: "POST",
    body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }),
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const parsed = granted.safeParse(await readJson(response));
  if (!response.ok || !parsed.success) throw new Error(`no access token for FCM: HTTP ${response.status}`);
  const { access_token: token, expires_in: seconds } = parsed.data;
  cached = { account: account.client_email, token, until: Date.now() + seconds * 1000 - TOKEN_MARGIN_MS };
  return token;
}

async function errorCode(response: Response): Promise<string> {
  const parsed = failure.safeParse(await readJson(response));
  if (!parsed.success) return "";
  const { status, details } = parsed.data.error;
  return details.find(({ errorCode }) => errorCode)?.errorCode ?? status;
}

async function readJson(response: Response): Promise<unknown> {
  const bytes = await readAtMost(response, MAX_BYTES);
  return outsideJson(new TextDecoder().decode(bytes ?? undefined), MAX_PARTS);
}
