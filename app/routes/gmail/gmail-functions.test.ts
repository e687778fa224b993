import { expect, test } from "vitest";
import { signAccessToken } from "#app/accounts/tokens/access-tokens.server.ts";
import { accountOwner, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { connectMailbox, lane, ORIGIN, storedIds, walkGoogle } from "#tests/workerd/gmail-mailbox.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loader as callback } from "./gmail-callback.ts";
import { action as begin } from "./gmail-oauth-auth-function.ts";
import { action as sync } from "./gmail-sync-function.ts";
import { action as page } from "./gmail-sync-page.tsx";

const GET_URL = { action: "get-auth-url" };

test("the two functions answer in the spec's shapes to the access token of their owner", async () => {
  const { env } = await lane();
  const { userId, headers } = await caller(env);
  const begun = await call(env, begin, GET_URL, headers);
  expect(Object.keys(await begun.json())).toEqual(["authUrl"]);
  expect(begun.headers.get("Set-Cookie")).toMatch(/HttpOnly/);
  await connectMailbox(env, accountOwner(userId));
  const synced = await call(env, sync, { userId, syncType: "initial", maxMessages: 100 }, headers);
  expect(await synced.json()).toMatchObject({ message: "100 messages synced" });
});

test("another user's id is refused, and so is the placeholder's for who is signed in", async () => {
  const { env } = await lane();
  const victim = await caller(env);
  await connectMailbox(env, accountOwner(victim.userId));
  const { headers } = await caller(env);
  for (const userId of [victim.userId, ZERO_USER_ID]) {
    const answer = await call(env, sync, { userId }, headers);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ error: "This is not your user id." });
  }
  expect((await call(env, sync, { userId: victim.userId }, {})).status).toBe(403);
  expect((await call(env, sync, { userId: victim.userId }, { Authorization: "Bearer a.b.c" })).status).toBe(401);
  expect(await storedIds(accountOwner(victim.userId))).toEqual([]);
});

test("another person's forms change nothing of a mailbox", async () => {
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

test("bad input gets a clear error", async () => {
  const { env } = await lane();
  for (const body of BAD) {
    const answer = await call(env, sync, body, {});
    expect(answer.status).toBe(400);
    expect(await answer.json()).toEqual({ error: expect.stringMatching(/.+: .+/) });
  }
  expect((await call(env, begin, { action: "something" }, {})).status).toBe(400);
});

test("a visitor connects, is known by the cookie alone, and takes the mailbox along by the next request as a user", async () => {
  const { env } = await lane();
  const begun = await call(env, begin, GET_URL, {});
  const cookies = cookiesOf(begun);
  const { authUrl }: { authUrl: string } = await begun.json();
  const params = await walkGoogle(env, authUrl);
  const answer = await callback(
    args(env, new Request(`${ORIGIN}/gmail-sync/callback?${params}`, { headers: { Cookie: cookies } })),
  );
  expect(answer.headers.get("Cross-Origin-Opener-Policy")).toBe("unsafe-none");
  expect(await answer.text()).toContain("GMAIL_OAUTH_SUCCESS");

  expect((await call(env, sync, { userId: ZERO_USER_ID }, { Cookie: cookies })).status).toBe(200);
  const other = await call(env, sync, { userId: ZERO_USER_ID }, {});
  expect(await other.json()).toEqual({ error: "No Gmail account connected", reason: "not_connected" });
  const forged = await call(env, sync, { userId: ZERO_USER_ID }, { Cookie: "growline_gmail=ImZvcmdlZCI%3D.sealed" });
  expect(forged.status).toBe(409);

  const user = await caller(env);
  const taken = await call(env, sync, { userId: user.userId }, { Cookie: `${user.cookie}; ${cookies}` });
  expect(await taken.json()).toMatchObject({ message: "Nothing new since the last sync", total: 100 });
  expect(taken.headers.get("Set-Cookie")).toMatch(/growline_gmail=;.*Max-Age=0/);
  expect((await call(env, sync, { userId: ZERO_USER_ID }, { Cookie: cookies })).status).toBe(409);
});

test("an answer that comes to the system's browser is handed to the app, unused", async () => {
  const { env } = await lane();
  const user = await caller(env);
  const begun = await call(env, begin, { ...GET_URL, mode: "app" }, user.headers);
  const { authUrl }: { authUrl: string } = await begun.json();
  const params = await walkGoogle(env, authUrl);
  const url = `${ORIGIN}/gmail-sync/callback?${params}`;
  const outside = await callback(args(env, new Request(url)));
  expect(await outside.text()).toContain(`growline://gmail-sync/callback?code=${params.get("code")}`);
  const inside = await callback(
    args(env, new Request(url, { headers: { Cookie: `${user.cookie}; ${cookiesOf(begun)}` } })),
  );
  expect(inside.headers.get("Location")).toBe("/gmail-sync?gmail=connected");
});

test("beginning again and again is stopped for a while", async () => {
  const { env } = await lane();
  const { headers } = await caller(env);
  const answers = [];
  for (let n = 0; n < 21; n++) answers.push(await call(env, begin, GET_URL, headers));
  expect(answers.slice(0, 20).every((answer) => answer.status === 200)).toBe(true);
  expect(answers[20]?.status).toBe(429);
  expect(Number(answers[20]?.headers.get("Retry-After"))).toBeGreaterThan(0);
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

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((header) => header.split(";")[0])
    .join("; ");
}
