import * as oauth from "oauth4webapi";
import { cappedFetch } from "#app/http/outgoing/capped-fetch.ts";

/** Google's OAuth, or an emulator of it: which one is configuration alone. */

export type GoogleEnv = Pick<
  Env,
  "ENVIRONMENT" | "GOOGLE_ISSUER" | "GOOGLE_API_BASE" | "GOOGLE_CLIENT_ID" | "GOOGLE_CLIENT_SECRET"
>;

/** Tokens from Google. Times are in ms. `refreshToken` is null if the old one stays valid. */
export type Grant = { accessToken: string; refreshToken: string | null; scope: string; expiresAt: number };

/** The only scope we request: read-only. */
export const GMAIL_SCOPE = "https://www.googleapis.com/auth/gmail.readonly";

const MAX_RESPONSE_BYTES = 262_144;
const TIMEOUT_MS = 15_000;
const DEFAULT_LIFETIME_SECONDS = 3600;

/** Thrown when Google can't be reached or its response is invalid. Worth retrying. */
export class GoogleAway extends Error {
  override name = "GoogleAway";
}

/** Thrown when Google permanently refuses a grant: revoked, expired or already used. */
export class GrantRefused extends Error {
  override name = "GrantRefused";
}

export function isConfigured(env: GoogleEnv): env is GoogleEnv & { GOOGLE_CLIENT_SECRET: string } {
  return Boolean(env.GOOGLE_CLIENT_ID && env.GOOGLE_CLIENT_SECRET);
}

/** Returns whether an emulator stands in for Google. */
export function isStandIn(env: GoogleEnv): boolean {
  return isConfigured(env) && new URL(env.GOOGLE_ISSUER).hostname !== "accounts.google.com";
}

/** Returns Google's sign-in URL, and the PKCE verifier needed to exchange the code. */
export async function authorizationUrl(
  env: GoogleEnv,
  request: { state: string; redirectUri: string; loginHint: string | null },
): Promise<{ url: string; codeVerifier: string }> {
  const { authorization_endpoint } = await discover(env);
  if (!authorization_endpoint) throw new GoogleAway("no authorization endpoint");
  const codeVerifier = oauth.generateRandomCodeVerifier();
  const url = new URL(authorization_endpoint);
  url.search = new URLSearchParams({
    client_id: env.GOOGLE_CLIENT_ID,
    redirect_uri: request.redirectUri,
    response_type: "code",
    scope: GMAIL_SCOPE,
    state: request.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    // Google returns a refresh token only with both of these.
    access_type: "offline",
    prompt: "consent",
    ...(request.loginHint && { login_hint: request.loginHint }),
  }).toString();
  return { url: url.href, codeVerifier };
}

/** Exchanges the code in the callback's query for tokens. Throws GrantRefused or GoogleAway. */
export async function exchangeCode(
  env: GoogleEnv,
  callback: { params: URLSearchParams; state: string; redirectUri: string; codeVerifier: string },
  now = Date.now(),
): Promise<Grant> {
  return callGoogle(async () => {
    const server = await discover(env);
    const params = oauth.validateAuthResponse(server, client(env), callback.params, callback.state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client(env),
      clientAuth(env),
      params,
      callback.redirectUri,
      callback.codeVerifier,
      options(env),
    );
    return grantOf(
      await oauth.processAuthorizationCodeResponse(server, client(env), await withoutOverload(response)),
      now,
    );
  });
}

/** Refreshes the access token. Throws GrantRefused for `invalid_grant`, otherwise GoogleAway. */
export async function refreshGrant(env: GoogleEnv, refreshToken: string, now = Date.now()): Promise<Grant> {
  return callGoogle(async () => {
    const server = await discover(env);
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client(env),
      clientAuth(env),
      refreshToken,
      options(env),
    );
    return grantOf(await oauth.processRefreshTokenResponse(server, client(env), await withoutOverload(response)), now);
  });
}

/** Revokes a token with its whole grant. Succeeds if the token is already invalid. Throws GoogleAway. */
export async function revokeToken(env: GoogleEnv, token: string): Promise<void> {
  await callGoogle(async () => {
    const server = await discover(env);
    const response = await oauth.revocationRequest(server, client(env), clientAuth(env), token, options(env));
    // 400 means that the token is unknown or already revoked.
    if (!response.ok && response.status !== 400) throw new GoogleAway(`revocation returned ${response.status}`);
    await response.body?.cancel();
  });
}

async function discover(env: GoogleEnv): Promise<oauth.AuthorizationServer> {
  try {
    const issuer = new URL(env.GOOGLE_ISSUER);
    return await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options(env)));
  } catch (error) {
    throw new GoogleAway("discovery failed", { cause: error });
  }
}

/** Calls Google. Throws GrantRefused for `invalid_grant`, and GoogleAway for any other failure. */
async function callGoogle<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GoogleAway) throw error;
    if (error instanceof oauth.ResponseBodyError && error.error === "invalid_grant") {
      throw new GrantRefused("invalid_grant", { cause: error });
    }
    throw new GoogleAway("unexpected response from Google's sign-in", { cause: error });
  }
}

/** Throws GoogleAway for overload responses, which are not OAuth errors and must not be parsed as such. */
async function withoutOverload(response: Response): Promise<Response> {
  if (response.status < 500 && response.status !== 429) return response;
  await response.body?.cancel();
  throw new GoogleAway(`the token endpoint returned ${response.status}`);
}

function grantOf(response: oauth.TokenEndpointResponse, now: number): Grant {
  return {
    accessToken: response.access_token,
    refreshToken: response.refresh_token ?? null,
    scope: response.scope ?? GMAIL_SCOPE,
    expiresAt: now + (response.expires_in ?? DEFAULT_LIFETIME_SECONDS) * 1000,
  };
}

function client(env: GoogleEnv): oauth.Client {
  return { client_id: env.GOOGLE_CLIENT_ID };
}

function clientAuth(env: GoogleEnv): oauth.ClientAuth {
  return oauth.ClientSecretPost(env.GOOGLE_CLIENT_SECRET ?? "");
}

function options(env: GoogleEnv) {
  return {
    // The emulator listens on the loopback address, without TLS.
    [oauth.allowInsecureRequests]: env.ENVIRONMENT === "local",
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
    [oauth.customFetch]: cappedFetch(MAX_RESPONSE_BYTES),
  };
}
