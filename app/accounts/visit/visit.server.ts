import type { AppLoadContext } from "@remix-run/cloudflare";
import { addressOf } from "#app/db/rate-limit.server.ts";
import { browserCookie, readCookieText } from "#app/http/cookies.ts";
import { publicOrigin } from "#app/http/requests/public-origin.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";
import { deviceName } from "./device-name.ts";

/**
 * What accounts read of a request: who sends it, from where, and what the browser keeps for us. Routes read it once; from
 * there on it is plain data. An id or token is null if its cookie is missing or forged.
 */
export type Visit = {
  requestId: string;
  /** The address of the request, which decides how cookies are named. Links that leave the site begin with `origin`. */
  url: string;
  origin: string;
  /** The IPv4 address or IPv6 prefix that limits count by, or null for loopback. */
  network: string | null;
  userAgent: string;
  /** The browser and the system, such as "Firefox on Windows". */
  device: string;
  deviceId: string | null;
  /** The session that the browser's cookie names. It may have ended. */
  previousSession: string | null;
  /** The browser's own id, which its passkey challenges are bound to, or "". */
  passkeyBrowser: string;
  /** The token of a log-in that waits for its second step. */
  pendingLogIn: string | null;
};

export async function readVisit(
  { env, requestId }: Pick<AppLoadContext, "env" | "requestId">,
  request: Request,
): Promise<Visit> {
  const cookies = [
    deviceCookie(env, request),
    sessionCookie(env, request),
    passkeyBrowserCookie(env, request),
    secondStepCookie(request),
  ] as const;
  const texts = await Promise.all(cookies.map((cookie) => readCookieText(cookie, request)));
  const [deviceId = null, previousSession = null, passkeyBrowser, pendingLogIn = null] = texts;
  const userAgent = request.headers.get("User-Agent") ?? "";
  return {
    requestId,
    url: request.url,
    origin: publicOrigin(env, request),
    network: addressOf(request),
    userAgent,
    device: deviceName(userAgent),
    deviceId,
    previousSession,
    passkeyBrowser: passkeyBrowser ?? "",
    pendingLogIn,
  };
}

type Keys = Pick<Env, "SESSION_SECRET">;
/** A request or a visit: its URL says how the cookies are named. */
type Page = Pick<Request, "url">;

/** The longest a session lasts, in use or not. The cookie lasts as long. */
export const SESSION_MS = 30 * DAY_MS;
/** Browsers keep no cookie for longer than 400 days. */
export const DEVICE_MS = 400 * DAY_MS;
/** How long a log-in waits for its second step. */
export const PENDING_MS = 5 * MINUTE_MS;
const PASSKEY_BROWSER_MS = DAY_MS;

/** Holds the id of the browser's session. */
export function sessionCookie({ SESSION_SECRET: secrets }: Keys, page: Page) {
  return browserCookie(page, "growline_auth", { maxAgeSeconds: SESSION_MS / 1000, secrets });
}

/** Holds the id that the accounts which log in with this browser remember it by. It alone gives access to nothing. */
export function deviceCookie({ SESSION_SECRET: secrets }: Keys, page: Page) {
  return browserCookie(page, "growline_device", { maxAgeSeconds: DEVICE_MS / 1000, secrets });
}

/** Holds the id that the passkey challenges of this browser are bound to. */
export function passkeyBrowserCookie({ SESSION_SECRET: secrets }: Keys, page: Page) {
  return browserCookie(page, "growline_passkey", { maxAgeSeconds: PASSKEY_BROWSER_MS / 1000, secrets });
}

/** Returns the Set-Cookie headers of a browser that has just logged in. */
export function signedInCookies(
  keys: Keys,
  page: Page,
  { sessionId, deviceId }: { sessionId: string; deviceId: string },
): Promise<[session: string, device: string]> {
  return Promise.all([sessionCookie(keys, page).serialize(sessionId), deviceCookie(keys, page).serialize(deviceId)]);
}

/** Holds the token of a log-in that waits for its second step. The token itself is signed. */
export function secondStepCookie(page: Page) {
  return browserCookie(page, "growline_second_step", { maxAgeSeconds: PENDING_MS / 1000 });
}
