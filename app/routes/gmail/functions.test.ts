import { expect, test } from "vitest";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { accountOwner, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { cookiesOf, siteCookie } from "#tests/response-cookies.ts";
import { connectMailbox, lane, ORIGIN, storedIds, walkGoogle } from "#tests/workerd/gmail-mailbox.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loader as callback } from "./callback.ts";
import { action as connect } from "./oauth-auth-function.ts";
import { action as sync } from "./sync-function.ts";
import { action as page } from "./sync-page.tsx";

const GET_URL = { action: "get-auth-url" };

test("returns the spec's shapes to the owner's access token", async () => {
  const { env } = await lane();
  const { userId, headers } = await caller(env);
  const started = await call(env, connect, GET_URL, headers);
  expect(Object.keys(await started.json())).toEqual(["authUrl"]);
  expect(started.headers.get("Set-Cookie")).toMatch(/HttpOnly/);
  await connectMailbox(env, accountOwner(userId));
  const synced = await call(env, sync, { userId, syncType: "initial", maxMessages: 100 }, headers);
  expect(await synced.json()).toMatchObject({ message: "100 messages synced" });
});

test("refuses another user's id, and the placeholder id of a signed-in user", async () => {
  const { env } = await lane();
  const victim = await caller(env);
  await connectMailbox(env, accountOwner(victim.userId));
  const { headers } = await caller(env);
  for (const userId of [victim.userId, ZERO_USER_ID]) {
    const response = await call(env, sync, { userId }, headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({ error: "This is not your user id." });
  }
  expect((await call(env, sync, { userId: victim.userId }, {})).status).toBe(403);
  expect((await call(env, sync, { userId: victim.userId }, { Authorization: "Bearer a.b.c" })).status).toBe(401);
  expect(await storedIds(accountOwner(victim.userId))).toEqual([]);
});

test("ignores forms from another person", async () => {
  const { env } = await lane();
  const victim = await caller(env);
  await connectMailbox(env, accountOwner(victim.userId));
  const stranger = await caller(env);
  for (const intent of ["disconnect", "sync", "auto-sync"]) {
    const form = new URLSearchParams({ intent, on: "1" });
    const request = new Request(`${ORIGIN}/gmail-sync`, { method: "POST", body: form, headers: stranger.headers });
    await expect(page(args(env, request))).rejects.toMatchObject({ init: { status: 404 } });
  }
  expect((await call(env, sync, { userId: victim.userId }, victim.headers)).status).toBe(200);
});

const BAD: unknown[] = [
  null,
  {},
  { userId: "x" },
  { userId: ZERO_USER_ID, maxMessages: 0 },
  { userId: ZERO_USER_ID, maxMessages: 101 },
  { userId: ZERO_USER_ID, syncType: "all" },
];

test("names the field of bad input", async () => {
  const { env } = await lane();
  for (const body of BAD) {
    const response = await call(env, sync, body, {});
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/.+: .+/) });
  }
  expect((await call(env, connect, { action: "something" }, {})).status).toBe(400);
});

test("identifies a visitor by cookie, and moves the mailbox to the account with the next signed-in request", async () => {
  const { env } = await lane();
  const started = await call(env, connect, GET_URL, {});
  const cookies = cookiesOf(started);
  const { authUrl }: { authUrl: string } = await started.json();
  const params = await walkGoogle(env, authUrl);
  const response = await callback(
    args(env, new Request(`${ORIGIN}/gmail-sync/callback?${params}`, { headers: { Cookie: cookies } })),
  );
  expect(response.headers.get("Cross-Origin-Opener-Policy")).toBe("unsafe-none");
  expect(await response.text()).toContain("GMAIL_OAUTH_SUCCESS");

  expect((await call(env, sync, { userId: ZERO_USER_ID }, { Cookie: cookies })).status).toBe(200);
  const other = await call(env, sync, { userId: ZERO_USER_ID }, {});
  expect(await other.json()).toEqual({ error: "No Gmail account connected", reason: "not_connected" });
  const forged = await call(
    env,
    sync,
    { userId: ZERO_USER_ID },
    {
      Cookie: `${siteCookie("growline_gmail")}=ImZvcmdlZCI%3D.sealed`,
    },
  );
  expect(forged.status).toBe(409);

  const user = await caller(env);
  const moved = await call(env, sync, { userId: user.userId }, { Cookie: `${user.cookie}; ${cookies}` });
  expect(await moved.json()).toMatchObject({ message: "Nothing new since the last sync", total: 100 });
  expect(moved.headers.get("Set-Cookie")).toMatch(/growline_gmail=;.*Max-Age=0/);
  expect((await call(env, sync, { userId: ZERO_USER_ID }, { Cookie: cookies })).status).toBe(409);
});

test("hands a callback in the in-app browser to the app, unused", async () => {
  const { env } = await lane();
  const user = await caller(env);
  const started = await call(env, connect, { ...GET_URL, mode: "app" }, user.headers);
  const { authUrl }: { authUrl: string } = await started.json();
  const params = await walkGoogle(env, authUrl);
  const url = `${ORIGIN}/gmail-sync/callback?${params}`;
  const outside = await callback(args(env, new Request(url)));
  expect(await outside.text()).toContain(`growline://gmail-sync/callback?code=${params.get("code")}`);
  const inside = await callback(
    args(env, new Request(url, { headers: { Cookie: `${user.cookie}; ${cookiesOf(started)}` } })),
  );
  expect(inside.headers.get("Location")).toBe("/gmail-sync?gmail=connected");
});

test("limits how often a connection is started", async () => {
  const { env } = await lane();
  const { headers } = await caller(env);
  const responses = [];
  for (let n = 0; n < 21; n++) responses.push(await call(env, connect, GET_URL, headers));
  expect(responses.slice(0, 20).every((response) => response.status === 200)).toBe(true);
  expect(responses[20]?.status).toBe(429);
  expect(Number(responses[20]?.headers.get("Retry-After"))).toBeGreaterThan(0);
});

function args(env: Env, request: Request) {
  return { request, context: loadContext({ env }), params: {} };
}

async function call(env: Env, action: typeof sync, body: unknown, headers: Record<string, string>): Promise<Response> {
  const request = new Request(`${ORIGIN}/functions/any`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return action(args(env, request));
}

/** A signed-in account with the headers of its access token. */
async function caller(env: Env) {
  const { userId, email, sessionId, cookie } = await signedIn();
  const token = await signAccessToken(env.SESSION_SECRET, { userId, sessionId, email }, Date.now());
  return { userId, cookie, headers: { Authorization: `Bearer ${token}` } };
}
