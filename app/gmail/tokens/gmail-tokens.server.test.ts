import { env as bindings } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { gmailTokens } from "#app/db/schema.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { GOOGLE_CLIENT, scriptedGoogle } from "#tests/stand-ins/scripted-fetch.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import {
  dropTokens,
  freshAccessToken,
  isConnectedElsewhere,
  readTokenRow,
  revokeStoredTokens,
  sealToken,
  storeGrant,
  unsealToken,
} from "./gmail-tokens.server.ts";
import { type MailboxOwner, ownedBy, ZERO_USER_ID } from "./mailbox-owner.server.ts";

const NOW = 1_795_000_000_000;
const ENV = { ...bindings, ...GOOGLE_CLIENT } as unknown as Env;
const GRANT = {
  accessToken: "access",
  refreshToken: "refresh",
  scope: "read",
  expiresAt: NOW,
  emailAddress: "a@b.example",
};
const REFRESHED = () => Response.json({ access_token: "refreshed", token_type: "Bearer" });

afterEach(() => {
  vi.restoreAllMocks();
});

test("stores a grant, and a later one in its place, whose missing refresh token keeps the earlier", async () => {
  const [owner, other] = [someVisitor(), someVisitor()];
  const grant = {
    accessToken: "a",
    refreshToken: "r",
    scope: "read",
    expiresAt: 5,
    emailAddress: "ada@mail.example",
  };
  for (const one of [owner, other]) await storeGrant(db, ENV, one, grant);
  const before = [await readTokenRow(db, owner), await readTokenRow(db, other)];
  expect(before[0]).toMatchObject({ ...owner, emailAddress: "ada@mail.example", scope: "read", expiresAt: 5 });
  await setTokens(owner, { refreshLeaseUntil: 9, createdAt: 1 });
  const later = {
    accessToken: "b",
    refreshToken: null,
    scope: "more",
    expiresAt: 6,
    emailAddress: "bo@mail.example",
  };
  await storeGrant(db, ENV, owner, later);
  const row = await readTokenRow(db, owner);
  const { accessToken: _, refreshToken: __, ...plain } = later;
  expect(row).toEqual({
    ...before[0],
    ...plain,
    accessToken: expect.any(String),
    refreshLeaseUntil: 0,
    createdAt: expect.any(Number),
  });
  expect(row?.createdAt).toBeGreaterThan(1);
  expect(await tokensOf(owner)).toEqual(["b", "r"]);
  await storeGrant(db, ENV, owner, { ...later, refreshToken: "s" });
  expect(await tokensOf(owner)).toEqual(["b", "s"]);
  expect(await readTokenRow(db, other)).toEqual(before[1]);
});

test.for<[what: string, expiresAt: number, refused: string | null, token: string]>([
  ["uses a token that lasts more than five minutes", NOW + 5 * MINUTE_MS + 1, null, "access"],
  ["replaces a token that lasts five minutes", NOW + 5 * MINUTE_MS, null, "refreshed"],
  ["replaces a token that Google refused, however long it lasts", NOW + 60 * MINUTE_MS, "access", "refreshed"],
  ["uses a token that came after the refused one", NOW + 60 * MINUTE_MS, "earlier", "access"],
])("%s", async ([, expiresAt, refused, token]) => {
  const [owner, other] = [await stored({ expiresAt }), await stored({ expiresAt })];
  const others = await readTokenRow(db, other);
  const sent = scriptedGoogle(() => REFRESHED());
  expect(await fresh(owner, { refused })).toBe(token);
  expect(sent).toHaveLength(token === "refreshed" ? 1 : 0);
  expect(await tokensOf(owner)).toEqual([token, "refresh"]);
  const row = await readTokenRow(db, owner);
  expect(row).toMatchObject({ refreshLeaseUntil: 0, expiresAt: token === "access" ? expiresAt : NOW + 3_600_000 });
  expect(await readTokenRow(db, other)).toEqual(others);
});

test("stores the refresh token that Google replaces", async () => {
  const owner = await stored();
  scriptedGoogle(() => Response.json({ access_token: "new", token_type: "Bearer", refresh_token: "rotated" }));
  expect(await fresh(owner)).toBe("new");
  expect(await tokensOf(owner)).toEqual(["new", "rotated"]);
});

test("holds its lease for 20 seconds, in which others wait", async () => {
  const owner = await stored();
  const leases: unknown[] = [];
  scriptedGoogle(async () => {
    leases.push((await readTokenRow(db, owner))?.refreshLeaseUntil);
    return REFRESHED();
  });
  await setTokens(owner, { refreshLeaseUntil: NOW });
  expect(await fresh(owner)).toBe("refreshed");
  expect(leases).toEqual([NOW + 20_000]);
});

test("waits for another's refresh and uses its token", async () => {
  const owner = await stored({ refreshLeaseUntil: NOW + 1 });
  const sent = scriptedGoogle(() => REFRESHED());
  const waits: number[] = [];
  const sleep = async (ms: number) => {
    waits.push(ms);
    const accessToken = await sealToken(ENV, owner, "access", "by another");
    if (waits.length === 2) await setTokens(owner, { accessToken, expiresAt: NOW + 60 * MINUTE_MS });
  };
  expect(await fresh(owner, { sleep })).toBe("by another");
  expect(waits).toEqual([150, 150]);
  expect(sent).toEqual([]);
});

test("takes over a refresh whose lease has ended, and gives up after 40 seconds", async () => {
  for (const isRenewed of [false, true]) {
    const owner = await stored({ refreshLeaseUntil: NOW + 15_000 });
    const sent = scriptedGoogle(() => REFRESHED());
    let clock = NOW;
    const sleep = async () => {
      clock += 5000;
      if (isRenewed) await setTokens(owner, { refreshLeaseUntil: clock + 1 });
    };
    const token = fresh(owner, { sleep, now: () => clock });
    if (isRenewed) await expect(token).rejects.toMatchObject({ name: "GoogleAway" });
    else expect(await token).toBe("refreshed");
    expect([sent.length, clock - NOW]).toEqual(isRenewed ? [0, 45_000] : [1, 15_000]);
    vi.restoreAllMocks();
  }
});

test.for([
  ["no tokens", null],
  ["a grant that Google ended", { accessToken: null }],
] as const)("asks to reconnect with %s", async ([, values]) => {
  const owner = values ? await stored(values) : someVisitor();
  await expect(fresh(owner)).rejects.toMatchObject({ name: "ReconnectNeeded" });
});

test("drops the tokens of a grant that Google has ended, and of one that it never let us refresh", async () => {
  for (const values of [{}, { refreshToken: null }]) {
    const [owner, other] = [await stored(values), await stored(values)];
    const [own, others] = [await readTokenRow(db, owner), await readTokenRow(db, other)];
    const sent = scriptedGoogle(() => Response.json({ error: "invalid_grant" }, { status: 400 }));
    await expect(fresh(owner)).rejects.toMatchObject({ name: "ReconnectNeeded" });
    expect(sent).toHaveLength("refreshToken" in values ? 0 : 1);
    const dead = { accessToken: null, refreshToken: null, expiresAt: 0, refreshLeaseUntil: 0 };
    expect(await readTokenRow(db, owner)).toEqual({ ...own, ...dead });
    expect(await readTokenRow(db, other)).toEqual(others);
    vi.restoreAllMocks();
  }
});

test("keeps the tokens and ends its lease when Google is down", async () => {
  const [owner, other] = [await stored(), await stored({ refreshLeaseUntil: NOW + 20_000 })];
  const [own, others] = [await readTokenRow(db, owner), await readTokenRow(db, other)];
  scriptedGoogle(() => new Response("", { status: 503 }));
  await expect(fresh(owner)).rejects.toMatchObject({ name: "GoogleAway" });
  expect(await readTokenRow(db, owner)).toEqual(own);
  expect(await readTokenRow(db, other)).toEqual(others);
});

test("drops the tokens of the connection that it names, and of no other", async () => {
  const [owner, other] = [await stored({ createdAt: 7 }), await stored({ createdAt: 7 })];
  const [own, others] = [await readTokenRow(db, owner), await readTokenRow(db, other)];
  await dropTokens(db, owner, 6);
  expect(await readTokenRow(db, owner)).toEqual(own);
  await dropTokens(db, owner, 7);
  expect(await readTokenRow(db, owner)).toEqual({ ...own, accessToken: null, refreshToken: null, expiresAt: 0 });
  expect(await readTokenRow(db, other)).toEqual(others);
});

test.for<[what: string, values: Tokens | null, env: object, revoked: string | null]>([
  ["the refresh token", {}, {}, "refresh"],
  ["the access token if it has no other", { refreshToken: null }, {}, "access"],
  ["nothing of a grant that ended", { accessToken: null, refreshToken: null }, {}, null],
  ["nothing without a connection", null, {}, null],
  ["nothing without a client", {}, { GOOGLE_CLIENT_SECRET: "" }, null],
  ["nothing that it cannot read", { refreshToken: "1.a.b" }, {}, null],
])("revokes %s", async ([, values, env, revoked]) => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  // Nobody else has the mailbox connected.
  await db.delete(gmailTokens);
  const owner = values ? await stored(values) : someVisitor();
  const sent = scriptedGoogle(() => new Response("{}"));
  await revokeStoredTokens(db, { ...ENV, ...env }, owner);
  expect(sent.map(({ body }) => new URLSearchParams(body).get("token"))).toEqual(revoked ? [revoked] : []);
});

test("knows whether another account or visitor has a mailbox connected", async () => {
  const emailAddress = `${crypto.randomUUID()}@mail.example`;
  const [owner, account] = [someVisitor(), someone()];
  const isElsewhere = (one = owner) => isConnectedElsewhere(db, one, emailAddress);
  await setTokens(await stored(), { emailAddress: `other-${emailAddress}` });
  expect(await isElsewhere()).toBe(false);
  await storeGrant(db, ENV, owner, { ...GRANT, emailAddress });
  expect(await isElsewhere()).toBe(false);
  expect([await isElsewhere(account), await isElsewhere(someVisitor())]).toEqual([true, true]);
  await storeGrant(db, ENV, account, { ...GRANT, emailAddress });
  expect([await isElsewhere(), await isElsewhere(account)]).toEqual([true, true]);
  await setTokens(account, { accessToken: null });
  expect([await isElsewhere(), await isElsewhere(account)]).toEqual([false, true]);
});

type Tokens = Partial<typeof gmailTokens.$inferInsert>;

function someVisitor(): MailboxOwner {
  return { userId: ZERO_USER_ID, ownerDigest: crypto.randomUUID() };
}

/** Stores tokens "access" and "refresh" that expire at NOW. */
async function stored(values: Tokens = {}): Promise<MailboxOwner> {
  const owner = someVisitor();
  await storeGrant(db, ENV, owner, GRANT);
  if (Object.keys(values).length > 0) await setTokens(owner, values);
  return owner;
}

async function setTokens(owner: MailboxOwner, values: Tokens): Promise<void> {
  await db.update(gmailTokens).set(values).where(ownedBy(gmailTokens, owner));
}

function fresh(owner: MailboxOwner, options: Parameters<typeof freshAccessToken>[3] = {}): Promise<string> {
  const sleep = async () => {
    throw new Error("waits");
  };
  return freshAccessToken(db, ENV, owner, { sleep, now: () => NOW, ...options });
}

async function tokensOf(owner: MailboxOwner): Promise<string[]> {
  const row = await readTokenRow(db, owner);
  return Promise.all([
    unsealToken(ENV, owner, "access", row?.accessToken ?? ""),
    unsealToken(ENV, owner, "refresh", row?.refreshToken ?? ""),
  ]);
}
