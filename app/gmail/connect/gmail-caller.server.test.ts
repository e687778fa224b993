import { env as bindings } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { afterEach, expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { readTokenRow, storeGrant } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { accountOwner, newVisitor } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { cookiesOf, siteCookie } from "#tests/response-cookies.ts";
import { GOOGLE_CLIENT, scriptedGoogle } from "#tests/stand-ins/scripted-fetch.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import {
  claimVisitorMailbox,
  limitSyncs,
  readBrowser,
  readGmailCaller,
  startConnectionFor,
} from "./gmail-caller.server.ts";

const PAGE = "https://growline.example/gmail-sync";
const ENV = { ...bindings, ...GOOGLE_CLIENT } as unknown as Env;
const GRANT = { accessToken: "a", refreshToken: "r", scope: "read", expiresAt: 5, emailAddress: "ada@mail.example" };
const VISITOR_COOKIE = siteCookie("growline_gmail");
const CONNECT_COOKIE = siteCookie("growline_gmail_connect");

afterEach(() => {
  vi.restoreAllMocks();
});

test("knows an account by its session, and a visitor by the cookie alone", async () => {
  const { userId } = someone();
  const { visitor, cookie } = await someVisitor();
  const noStore = { "cache-control": "no-store" };
  const stranger = await readGmailCaller(args(), null);
  expect([stranger.owner, Object.fromEntries(stranger.headers)]).toEqual([null, noStore]);
  const known = await readGmailCaller(args(cookie), null);
  expect([known.owner, Object.fromEntries(known.headers)]).toEqual([visitor, noStore]);
  const account = await readGmailCaller(args(), userId);
  expect([account.owner, Object.fromEntries(account.headers)]).toEqual([accountOwner(userId), noStore]);
});

test("moves a visitor's mailbox to the account, and only then forgets the visitor", async () => {
  const { userId } = someone();
  const { visitor, cookie } = await someVisitor();
  await storeGrant(db, ENV, visitor, GRANT);
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const failing = connect(bindings.DB);
  vi.spyOn(failing, "batch").mockRejectedValueOnce(new Error("Network connection lost"));
  const failed = await readGmailCaller(args(cookie, { db: failing }), userId);
  expect([failed.owner, failed.headers.get("Set-Cookie")]).toEqual([accountOwner(userId), null]);
  const moved = await readGmailCaller(args(cookie), userId);
  expect(moved.headers.get("Set-Cookie")).toMatch(new RegExp(`^${VISITOR_COOKIE}=;.*Max-Age=0`));
  expect(await readTokenRow(db, accountOwner(userId))).toMatchObject({ emailAddress: "ada@mail.example" });
  expect(await claimVisitorMailbox(args(), userId)).toBeNull();
  expect(errors).toHaveBeenCalledTimes(1);
});

test("starts a new visitor's connection with both cookies, and another of the same browser with one", async () => {
  scriptedGoogle(() => new Response());
  const caller = await readGmailCaller(args(), null);
  expect(await startConnectionFor(args(), caller, "popup")).toMatchObject({ ok: true });
  const [visitorCookie, browserCookie] = caller.headers.getSetCookie();
  expect(visitorCookie).toMatch(new RegExp(`^${VISITOR_COOKIE}=[^;]{20,};.*Max-Age=15552000`));
  expect(browserCookie).toMatch(new RegExp(`^${CONNECT_COOKIE}=[^;]{20,};.*Max-Age=600`));
  const cookies = cookiesOf(caller);
  const browser = await readBrowser(args(cookies).request);
  const again = await readGmailCaller(args(cookies), null);
  expect(again.owner).not.toBeNull();
  expect(await startConnectionFor(args(cookies), again, "popup")).toMatchObject({ ok: true });
  expect(again.headers.getSetCookie()).toHaveLength(1);
  expect(await readBrowser(args(cookiesOf(again)).request)).toBe(browser);
  expect(await readBrowser(args().request)).toBeNull();
});

test("lets an owner start 20 connections in ten minutes, and an address 60", async () => {
  const { GOOGLE_CLIENT_ID: _, ...unset } = ENV;
  const env = { ...unset, GOOGLE_CLIENT_ID: "" } as Env;
  const address = `203.0.113.${crypto.getRandomValues(new Uint8Array(1))[0]}`;
  const start = (owner = someone(), from: string | null = null) =>
    startConnectionFor(args("", { env }, from), { owner, headers: new Headers() }, "popup");
  const owner = someone();
  for (let n = 0; n < 20; n++) expect(await start(owner)).toEqual({ ok: false, fault: "not_configured" });
  expectWait(await start(owner), 600);
  for (let n = 0; n < 60; n++) expect(await start(someone(), address)).toMatchObject({ fault: "not_configured" });
  expectWait(await start(someone(), address), 600);
  expect(await start()).toMatchObject({ fault: "not_configured" });
});

test("lets an owner sync 20 times a minute", async () => {
  const [{ visitor }, { visitor: other }] = [await someVisitor(), await someVisitor()];
  for (let n = 0; n < 20; n++) expect(await limitSyncs(args(), visitor)).toEqual({ ok: true });
  expectWait({ ...(await limitSyncs(args(), visitor)), fault: "too_many" }, 60);
  expect(await limitSyncs(args(), other)).toEqual({ ok: true });
});

function expectWait(result: object, seconds: number): void {
  expect(result).toEqual({ ok: false, fault: "too_many", retryAfterSeconds: expect.any(Number) });
  const { retryAfterSeconds } = result as { retryAfterSeconds: number };
  expect(retryAfterSeconds).toBeLessThanOrEqual(seconds);
  expect(retryAfterSeconds).toBeGreaterThan(seconds - 59);
}

async function someVisitor() {
  const { visitor, setCookie } = await newVisitor(args().request, bindings);
  return { visitor, cookie: setCookie.split(";")[0] ?? "" };
}

function args(cookie = "", given: Partial<AppLoadContext> = {}, address: string | null = null) {
  const headers = new Headers(cookie ? { Cookie: cookie } : {});
  if (address) headers.set("CF-Connecting-IP", address);
  return { request: new Request(PAGE, { headers }), context: loadContext({ env: ENV, ...given }) };
}
