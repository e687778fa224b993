import { afterEach, expect, test, vi } from "vitest";
import { GOOGLE_CLIENT, ISSUER, type Sent, scriptedFetch, scriptedGoogle } from "#tests/stand-ins/scripted-fetch.ts";
import {
  authorizationUrl,
  exchangeCode,
  GMAIL_SCOPE,
  type GoogleEnv,
  isConfigured,
  isStandIn,
  refreshGrant,
  revokeToken,
} from "./google-oauth.server.ts";

const ENV = GOOGLE_CLIENT as unknown as GoogleEnv;
const NOW = 1_795_000_000_000;
const TOKENS = { access_token: "new-access", token_type: "Bearer" };

afterEach(() => {
  vi.restoreAllMocks();
});

test.for([
  ["an id and a secret", {}, true, true],
  ["no secret", { GOOGLE_CLIENT_SECRET: "" }, false, false],
  ["no id", { GOOGLE_CLIENT_ID: "" }, false, false],
  ["Google itself", { GOOGLE_ISSUER: "https://accounts.google.com" }, true, false],
] as const)("knows a client with %s", ([, settings, configured, standIn]) => {
  const env = { ...ENV, ...settings } as GoogleEnv;
  expect([isConfigured(env), isStandIn(env)]).toEqual([configured, standIn]);
});

test.for([null, "ada@mail.example"])("sends a person to Google with the mailbox %s", async (loginHint) => {
  scriptedGoogle(() => new Response());
  const request = { state: "the-state", redirectUri: "https://growline.example/back", loginHint };
  const { url, codeVerifier } = await authorizationUrl(ENV, request);
  const target = new URL(url);
  expect(target.origin + target.pathname).toBe(`${ISSUER}/auth`);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(codeVerifier));
  expect(Object.fromEntries(target.searchParams)).toEqual({
    client_id: "our-client",
    redirect_uri: "https://growline.example/back",
    response_type: "code",
    scope: "https://www.googleapis.com/auth/gmail.readonly",
    state: "the-state",
    code_challenge: Buffer.from(digest).toString("base64url"),
    code_challenge_method: "S256",
    access_type: "offline",
    prompt: "consent",
    ...(loginHint && { login_hint: loginHint }),
  });
});

test("cannot send a person to a Google that names no page for it", async () => {
  scriptedGoogle(() => new Response(), { token_endpoint: `${ISSUER}/token` });
  const request = { state: "s", redirectUri: "https://growline.example/back", loginHint: null };
  await expect(authorizationUrl(ENV, request)).rejects.toMatchObject({ name: "GoogleAway" });
});

test("exchanges a code with the client's secret and the verifier", async () => {
  const sent = scriptedGoogle(() => Response.json({ ...TOKENS, refresh_token: "r", scope: "a b", expires_in: 60 }));
  expect(await exchange({ state: "the-state", code: "the-code" })).toEqual({
    accessToken: "new-access",
    refreshToken: "r",
    scope: "a b",
    expiresAt: NOW + 60_000,
  });
  expect(sent.map(({ url, method }) => `${method} ${url.pathname}`)).toEqual(["POST /token"]);
  expect(formOf(sent[0])).toEqual({
    grant_type: "authorization_code",
    code: "the-code",
    redirect_uri: "https://growline.example/back",
    code_verifier: "v".repeat(43),
    client_id: "our-client",
    client_secret: "our-secret",
  });
});

test("exchanges no code that comes with another state", async () => {
  const sent = scriptedGoogle(() => Response.json(TOKENS));
  await expect(exchange({ state: "another", code: "the-code" })).rejects.toMatchObject({ name: "GoogleAway" });
  expect(sent).toEqual([]);
});

test("refreshes with the client's secret, and keeps what Google leaves out", async () => {
  const sent = scriptedGoogle(() => Response.json(TOKENS));
  expect(await refreshGrant(ENV, "old-refresh", NOW)).toEqual({
    accessToken: "new-access",
    refreshToken: null,
    scope: GMAIL_SCOPE,
    expiresAt: NOW + 3_600_000,
  });
  const client = { client_id: "our-client", client_secret: "our-secret" };
  expect(formOf(sent[0])).toEqual({ grant_type: "refresh_token", refresh_token: "old-refresh", ...client });
});

const INVALID_GRANT = { error: "invalid_grant" };
const REFUSALS: [what: string, answer: () => Response, name: string][] = [
  ["a grant that ended", () => Response.json(INVALID_GRANT, { status: 400 }), "GrantRefused"],
  [
    "a client that Google does not know",
    () => Response.json({ error: "invalid_client" }, { status: 401 }),
    "GoogleAway",
  ],
  // A proxy's answer, whatever it says, tells nothing about the grant.
  ["too many requests", () => Response.json(INVALID_GRANT, { status: 429 }), "GoogleAway"],
  ["an outage", () => Response.json(INVALID_GRANT, { status: 500 }), "GoogleAway"],
  ["a page instead of JSON", () => new Response("<html>", { status: 200 }), "GoogleAway"],
  ["a response of 300 kB", () => Response.json({ ...TOKENS, scope: "x".repeat(300_000) }), "GoogleAway"],
  ["a redirect", () => Response.redirect("http://elsewhere.test/", 307), "GoogleAway"],
  [
    "a connection that breaks",
    () => {
      throw new TypeError("Network connection lost");
    },
    "GoogleAway",
  ],
];

for (const [what, answer, name] of REFUSALS) {
  test(`tells ${what} from a grant that ended, in a refresh and in an exchange`, async () => {
    const sent = scriptedGoogle(answer);
    await expect(refreshGrant(ENV, "r", NOW)).rejects.toMatchObject({ name });
    await expect(exchange({ state: "the-state", code: "c" })).rejects.toMatchObject({ name });
    expect(sent.every(({ url }) => url.origin === ISSUER)).toBe(true);
  });
}

test("takes no answer to its discovery for a refused grant", async () => {
  scriptedFetch(() => Response.json(INVALID_GRANT, { status: 400 }));
  await expect(refreshGrant(ENV, "r", NOW)).rejects.toMatchObject({ name: "GoogleAway" });
});

test("talks to nobody without TLS except in the local environment", async () => {
  const sent = scriptedGoogle(() => Response.json(TOKENS));
  const production = { ...ENV, ENVIRONMENT: "production" } as unknown as GoogleEnv;
  await expect(refreshGrant(production, "r", NOW)).rejects.toMatchObject({ name: "GoogleAway" });
  expect(sent).toEqual([]);
  const overTls = { ...production, GOOGLE_ISSUER: "https://google.test" };
  expect(await refreshGrant(overTls, "r", NOW)).toMatchObject({ accessToken: "new-access" });
});

test.for([
  [200, null],
  [400, null],
  [401, "GoogleAway"],
  [500, "GoogleAway"],
] as const)("takes a revocation that returns %i for done unless it failed", async ([status, name]) => {
  const sent = scriptedGoogle(() => new Response("{}", { status }));
  const error = await revokeToken(ENV, "the-token").then(
    () => null,
    (thrown: Error) => thrown.name,
  );
  expect(error).toBe(name);
  expect(sent[0]?.url.pathname).toBe("/revoke");
  expect(formOf(sent[0])).toMatchObject({ token: "the-token" });
});

function exchange(query: Record<string, string>) {
  const params = new URLSearchParams(query);
  const returned = { redirectUri: "https://growline.example/back", codeVerifier: "v".repeat(43) };
  return exchangeCode(ENV, { params, state: "the-state", ...returned }, NOW);
}

function formOf(sent: Sent | undefined): object {
  return Object.fromEntries(new URLSearchParams(sent?.body));
}
