import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { expect, test } from "vitest";
import { readTokenRow } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { accountOwner, type MailboxOwner, newVisitor } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import { db } from "#tests/workerd/customer.ts";
import { connectMailbox, DEMO, lane, ORIGIN, SECOND, walkGoogle } from "#tests/workerd/gmail-mailbox.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loader as callback } from "./callback.ts";
import { loader as connect } from "./connect.ts";
import { loader as status } from "./status.ts";

const SPECULATIVE: [string, RequestInit][] = [
  ["HEAD", { method: "HEAD" }],
  ["a prefetch", { headers: { "Sec-Purpose": "prefetch" } }],
  ["a prerender", { headers: { "Sec-Purpose": "prefetch;prerender" } }],
  ["an old prefetch", { headers: { Purpose: "prefetch" } }],
];

test.each(SPECULATIVE)("%s moves no mailbox to the account; the next GET moves it once", async (_name, init) => {
  const { env } = await lane();
  const { visitor, account, cookie } = await signedInWithVisitorMailbox(env);
  const response = await get(status, env, "/gmail-sync/status", cookie, init);
  expect([response.status, response.headers.get("Set-Cookie")]).toEqual([200, null]);
  expect(await mailboxOf(visitor)).toBe(DEMO);
  expect(await mailboxOf(account)).toBeNull();
  for (const _again of [1, 2]) {
    const claimed = await get(status, env, "/gmail-sync/status", cookie);
    expect(claimed.headers.get("Set-Cookie")).toMatch(/growline_gmail=;/);
    expect(await claimed.json()).toMatchObject({ connected: true });
  }
  expect(await mailboxOf(visitor)).toBeNull();
  expect(await mailboxOf(account)).toBe(DEMO);
});

test.each(SPECULATIVE)("%s disconnects no mailbox of a browser whose account has another", async (_name, init) => {
  const { env } = await lane();
  const { visitor, account, cookie } = await signedInWithVisitorMailbox(env);
  await connectMailbox(env, account, { account: SECOND });
  await get(status, env, "/gmail-sync/status", cookie, init);
  expect([await mailboxOf(visitor), await mailboxOf(account)]).toEqual([DEMO, SECOND]);
});

test.each(SPECULATIVE)("%s neither starts a connection nor uses up its state", async (_name, init) => {
  const { env } = await lane();
  const { userId, cookie } = await signedIn();
  const refused = await get(connect, env, "/gmail-sync/connect", cookie, init);
  expect([refused.status, refused.headers.get("Set-Cookie"), refused.headers.get("Location")]).toEqual([
    403,
    null,
    null,
  ]);
  const started = await get(connect, env, "/gmail-sync/connect", cookie);
  const browser = cookiesOf(started);
  const params = await walkGoogle(env, started.headers.get("Location") ?? "");
  const path = `/gmail-sync/callback?${params}`;
  expect((await get(callback, env, path, `${cookie}; ${browser}`, init)).status).toBe(403);
  expect((await get(callback, env, path, `${cookie}; ${browser}`)).status).toBe(302);
  expect(await mailboxOf(accountOwner(userId))).toBe(DEMO);
});

async function signedInWithVisitorMailbox(env: Env) {
  const { visitor, setCookie } = await newVisitor(new Request(ORIGIN), env);
  await connectMailbox(env, visitor);
  const { userId, cookie } = await signedIn();
  return { visitor, account: accountOwner(userId), cookie: `${cookie}; ${setCookie.split(";")[0]}` };
}

async function get(
  loader: (args: LoaderFunctionArgs) => Promise<Response>,
  env: Env,
  path: string,
  cookie: string,
  init: RequestInit = {},
): Promise<Response> {
  const request = new Request(ORIGIN + path, { ...init, headers: { ...init.headers, Cookie: cookie } });
  return loader({ request, context: loadContext({ env }), params: {} });
}

async function mailboxOf(owner: MailboxOwner): Promise<string | null> {
  return (await readTokenRow(db, owner))?.emailAddress ?? null;
}
