import { env as bindings } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { gmailOauthStates, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { readSyncRow } from "#app/gmail/sync/mailbox-sync-state.server.ts";
import { readTokenRow, storeGrant, unsealToken } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { GMAIL_SCOPE } from "#app/gmail/tokens/google-oauth.server.ts";
import { type MailboxOwner, ownedBy, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { GOOGLE_CLIENT, type Sent, scriptedGoogle } from "#tests/stand-ins/scripted-fetch.ts";
import { db } from "#tests/workerd/customer.ts";
import {
  completeConnection,
  deleteExpiredConnections,
  readPendingConnection,
  startConnection,
} from "./gmail-connection.server.ts";

const NOW = 1_795_000_000_000;
const ENV = { ...bindings, ...GOOGLE_CLIENT } as unknown as Env;
const ORIGIN = "https://growline.example";
const ADDRESS = "ada@mail.example";
const GRANT = { accessToken: "old", refreshToken: "old", scope: GMAIL_SCOPE, expiresAt: NOW, emailAddress: ADDRESS };
const TOKENS = {
  access_token: "access",
  refresh_token: "refresh",
  token_type: "Bearer",
  scope: `openid ${GMAIL_SCOPE}`,
};

afterEach(() => {
  vi.restoreAllMocks();
});

test("keeps of a started connection what its end has to show, for ten minutes", async () => {
  google();
  const owner = someVisitor();
  const { state, authUrl } = await started(owner, { mode: "app" });
  expect(authUrl.searchParams.get("login_hint")).toBeNull();
  expect(authUrl.searchParams.get("redirect_uri")).toBe(`${ORIGIN}/gmail-sync/callback`);
  const [row] = await db.select().from(gmailOauthStates).where(ownedBy(gmailOauthStates, owner));
  expect(row).toEqual({
    ...owner,
    stateDigest: sha256(state),
    browserDigest: sha256("browser"),
    codeVerifier: expect.stringMatching(/^1\./),
    mode: "app",
    expiresAt: NOW + 10 * MINUTE_MS,
  });
  const pending = (browser: string | null, asked: string | null = state) =>
    readPendingConnection(db, { state: asked, browser });
  expect(await Promise.all(["browser", "another", null].map((browser) => pending(browser)))).toEqual([
    { mode: "app", here: true },
    { mode: "app", here: false },
    { mode: "app", here: false },
  ]);
  expect([await pending("browser", null), await pending("browser", "unknown")]).toEqual([null, null]);
  await deleteExpiredConnections(db, NOW + 10 * MINUTE_MS);
  expect(await pending("browser")).not.toBeNull();
  await deleteExpiredConnections(db, NOW + 10 * MINUTE_MS + 1);
  expect(await pending("browser")).toBeNull();
});

test("asks Google for the mailbox that was connected before", async () => {
  google();
  const owner = someVisitor();
  await storeGrant(db, ENV, owner, GRANT);
  expect((await started(owner)).authUrl.searchParams.get("login_hint")).toBe(ADDRESS);
});

test("does not take its own failure for Google's", async () => {
  google();
  const connection = { owner: someVisitor(), browser: "browser", origin: ORIGIN, mode: "page" as const };
  await expect(startConnection(db, { ...ENV, ENCRYPTION_KEYS: "" }, connection, NOW)).rejects.toThrow();
});

test.for([
  [10 * MINUTE_MS - 1, null],
  [10 * MINUTE_MS, "expired"],
] as const)("completes a connection after %i ms: %s", async ([afterMs, fault]) => {
  google();
  const owner = someVisitor();
  expect(await returned(owner, { code: "c" }, NOW + afterMs)).toBe(fault);
  expect(await readTokenRow(db, owner)).toEqual(fault ? null : expect.anything());
});

test.for([
  ["denied", { error: "access_denied" }],
  ["refused", { error: "server_error" }],
  ["unavailable", {}],
] as const)("returns %s for what Google sends back", async ([fault, query]) => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const sent = google();
  expect(await returned(someVisitor(), query)).toBe(fault);
  expect(sent).toEqual([]);
});

const FAILURES: [fault: string, what: string, answers: Answers][] = [
  ["refused", "a code that was used", { token: () => Response.json({ error: "invalid_grant" }, { status: 400 }) }],
  ["unavailable", "an outage", { token: () => new Response("", { status: 503 }) }],
  ["scope_withheld", "a mailbox that may not be read", { profile: () => new Response("", { status: 403 }) }],
  ["unavailable", "a profile that cannot be read", { profile: () => Response.json({}) }],
];

test.for(FAILURES)("returns %s after %s, and stores nothing", async ([fault, , answers]) => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  google(answers);
  const owner = someVisitor();
  expect(await returned(owner, { code: "c" })).toBe(fault);
  expect([await readTokenRow(db, owner), await readSyncRow(db, owner)]).toEqual([null, null]);
});

test("revokes nothing and keeps nothing of a grant without the scope, whose mailbox is unknown", async () => {
  const sent = google({ token: () => Response.json({ ...TOKENS, scope: "openid" }) });
  const owner = someVisitor();
  expect(await returned(owner, { code: "c" })).toBe("scope_withheld");
  expect(sent.map(({ url }) => url.pathname)).toEqual(["/token"]);
  expect([await readTokenRow(db, owner), await readSyncRow(db, owner)]).toEqual([null, null]);
  await storeGrant(db, ENV, owner, GRANT);
  const before = await readTokenRow(db, owner);
  expect(await returned(owner, { code: "c" })).toBe("scope_withheld");
  expect([revokedBy(sent), await readTokenRow(db, owner)]).toEqual([[], before]);
});

test.for([
  ["refresh", {}],
  ["access", { refresh_token: undefined }],
] as const)("revokes the %s token of a grant of a wrong mailbox", async ([revoked, tokens]) => {
  const emailAddress = `${crypto.randomUUID()}@mail.example`;
  const sent = google({
    token: () => Response.json({ ...TOKENS, ...tokens }),
    profile: () => Response.json({ emailAddress, historyId: "7" }),
  });
  const owner = someVisitor();
  await storeGrant(db, ENV, owner, GRANT);
  const before = await readTokenRow(db, owner);
  expect(await returned(owner, { code: "c" })).toBe("wrong_account");
  expect(revokedBy(sent)).toEqual([revoked]);
  expect(await readTokenRow(db, owner)).toEqual(before);
});

test("connects a mailbox, and again after its grant ended", async () => {
  const [owner, other] = [someVisitor(), someVisitor()];
  await db.insert(gmailSyncStatus).values({ ...other, historyId: "1" });
  const sent = google();
  expect(await returned(owner, { code: "the-code" })).toBeNull();
  expect(sent.map(({ url }) => url.pathname)).toEqual(["/token", "/gmail/v1/users/me/profile"]);
  expect(sent[1]?.headers.get("Authorization")).toBe("Bearer access");
  const row = await readTokenRow(db, owner);
  const grant = { emailAddress: ADDRESS, scope: TOKENS.scope, expiresAt: NOW + 3_600_000 };
  expect(row).toMatchObject({ ...owner, ...grant });
  expect(await unsealToken(ENV, owner, "access", row?.accessToken ?? "")).toBe("access");
  expect(await readSyncRow(db, owner)).toMatchObject({ historyId: "7", nextSyncAt: null, autoSync: false });

  await db.update(gmailTokens).set({ accessToken: null }).where(ownedBy(gmailTokens, owner));
  for (const [lastSyncAt, historyId] of [
    [null, "7"],
    [5, "3"],
  ] as const) {
    const failed = { lastSyncAt, historyId: "3", autoSync: true, failures: 2, lastError: "Connect again." };
    await db.update(gmailSyncStatus).set(failed).where(ownedBy(gmailSyncStatus, owner));
    expect(await returned(owner, { code: "the-code" })).toBeNull();
    const due = { lastSyncAt, historyId, failures: 0, lastError: null, nextSyncAt: NOW };
    expect(await readSyncRow(db, owner)).toMatchObject(due);
  }
  expect(await readSyncRow(db, other)).toMatchObject({ historyId: "1" });
});

test("uses up one state and no other", async () => {
  google();
  const owner = someVisitor();
  const [one, other] = [await started(owner), await started(owner)];
  expect(await complete(owner, one.state, { code: "c" })).toBeNull();
  const left = await db.select().from(gmailOauthStates).where(eq(gmailOauthStates.userId, owner.userId));
  const digests = left.map(({ stateDigest }) => stateDigest);
  expect([digests.includes(sha256(one.state)), digests.includes(sha256(other.state))]).toEqual([false, true]);
});

test("does not take the verifier of one connection for another", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  google();
  const owner = someVisitor();
  const [one, other] = [await started(owner), await started(owner)];
  const isOther = eq(gmailOauthStates.stateDigest, sha256(other.state));
  const [moved] = await db.select().from(gmailOauthStates).where(isOther);
  const isOne = eq(gmailOauthStates.stateDigest, sha256(one.state));
  await db.update(gmailOauthStates).set({ codeVerifier: moved?.codeVerifier }).where(isOne);
  expect(await complete(owner, one.state, { code: "c" })).toBe("unavailable");
});

type Answers = { token?: () => Response; profile?: () => Response };

/** A Google that grants what was asked, unless the answers say otherwise. */
function google({ token, profile }: Answers = {}): Sent[] {
  return scriptedGoogle(({ url }) => {
    if (url.pathname === "/token") return token?.() ?? Response.json(TOKENS);
    if (url.pathname === "/revoke") return new Response("{}");
    return profile?.() ?? Response.json({ emailAddress: ADDRESS, historyId: "7" });
  });
}

function revokedBy(sent: Sent[]): (string | null)[] {
  const revocations = sent.filter(({ url }) => url.pathname === "/revoke");
  return revocations.map(({ body }) => new URLSearchParams(body).get("token"));
}

function someVisitor(): MailboxOwner {
  return { userId: ZERO_USER_ID, ownerDigest: crypto.randomUUID() };
}

async function started(owner: MailboxOwner, { mode = "popup" as "popup" | "app" } = {}) {
  const begun = await startConnection(db, ENV, { owner, browser: "browser", origin: ORIGIN, mode }, NOW);
  if (!begun.ok) throw new Error(begun.fault);
  const authUrl = new URL(begun.authUrl);
  return { authUrl, state: authUrl.searchParams.get("state") ?? "" };
}

function complete(owner: MailboxOwner, state: string, query: Record<string, string>, now = NOW) {
  const params = new URLSearchParams({ ...query, state });
  return completeConnection(db, ENV, { owner, browser: "browser", origin: ORIGIN, params }, now);
}

async function returned(owner: MailboxOwner, query: Record<string, string>, now = NOW) {
  return complete(owner, (await started(owner)).state, query, now);
}
