import { env } from "cloudflare:workers";
import { decodeJwt, SignJWT } from "jose";
import { expect, test } from "vitest";
import { z } from "zod";
import { deriveKeys } from "#app/crypto/derived-keys.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { usedTokens } from "#app/db/schema.server.ts";
import { MINUTE_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { ACCESS_TOKEN_SECONDS, signAccessToken, verifyAccessToken } from "./access-tokens.server.ts";
import { issueRefreshToken, nextRefreshToken, sessionOfRefreshToken } from "./refresh-tokens.server.ts";
import { readToken, signToken, spendToken } from "./single-use-tokens.server.ts";

const [OLD, NEW] = ["an old secret", "a new secret"];
const ROTATED = `${NEW},${OLD}`;
const AT = 1_700_000_000_000;
const claims = z.object({ userId: z.string() });
const who = { userId: "u", sessionId: "s", email: "ada@test.example" };

test("derives a key for each secret and purpose, and none from an empty secret", () => {
  const [newest, older, ...more] = deriveKeys(ROTATED, "a purpose");
  expect([newest.length, older, more]).toEqual([32, deriveKeys(OLD, "a purpose")[0], []]);
  expect(newest).not.toEqual(deriveKeys(NEW, "another purpose")[0]);
  for (const secret of ["", ",old"]) expect(() => deriveKeys(secret, "a purpose")).toThrow("SESSION_SECRET is empty");
});

test("signs access tokens for fifteen minutes, in the claims that clients read", async () => {
  const token = await signAccessToken(NEW, who, AT + 999);
  expect(decodeJwt(token)).toEqual({
    sub: "u",
    session_id: "s",
    email: "ada@test.example",
    role: "authenticated",
    aud: "authenticated",
    iat: AT / 1000,
    exp: AT / 1000 + 900,
  });
  expect(ACCESS_TOKEN_SECONDS).toBe(900);
});

test("accepts access tokens of every secret in use, and no other token", async () => {
  const now = Date.now();
  const read = (token: string, secret = ROTATED) => verifyAccessToken(secret, token);
  for (const secret of [OLD, NEW]) {
    expect(await read(await signAccessToken(secret, who, now))).toEqual({
      userId: "u",
      sessionId: "s",
      refreshId: null,
    });
  }
  expect(await read(await signAccessToken(OLD, who, now), NEW)).toBeNull();
  expect(await read(await signAccessToken(NEW, who, now - 901_000))).toBeNull();
  const [key] = deriveKeys(NEW, "access token");
  const signed = (fields: object, audience = "authenticated", algorithm = "HS256") =>
    new SignJWT({ ...fields })
      .setProtectedHeader({ alg: algorithm })
      .setAudience(audience)
      .setExpirationTime("1 minute")
      .sign(algorithm === "HS256" ? key : new Uint8Array(64));
  expect(await read(await signed({ sub: "u", session_id: "s" }))).not.toBeNull();
  expect(await read(await signed({ sub: "u", session_id: "s" }, "other"))).toBeNull();
  expect(await read(await signed({ sub: "u" }))).toBeNull();
  expect(
    await read(await signToken(NEW, "pending log-in", "id", { sub: "u", session_id: "s" }, now + 1000)),
  ).toBeNull();
});

test("reads a single-use token until it expires, by every secret in use and for its own purpose", async () => {
  const token = await signToken(OLD, "pending log-in", "an id", { userId: "u" }, AT + 999);
  const read = (now: number, secret = ROTATED) => readToken(secret, "pending log-in", token, claims, now);
  expect(await read(AT - 1000)).toEqual({ id: "an id", expiresAt: AT, claims: { userId: "u" } });
  expect(await read(AT)).toBeNull();
  expect(await read(AT - MINUTE_MS, NEW)).toBeNull();
  expect(await readToken(ROTATED, "passkey challenge", token, claims, AT - MINUTE_MS)).toBeNull();
  expect(await readToken(OLD, "pending log-in", token, z.object({ other: z.string() }), AT - MINUTE_MS)).toBeNull();
});

test("reads no single-use token without an id or an end", async () => {
  const [key] = deriveKeys(NEW, "pending log-in");
  const made = () => new SignJWT({ userId: "u" }).setProtectedHeader({ alg: "HS256" });
  const endless = await made().setJti("id").sign(key);
  const nameless = await made().setExpirationTime("1 minute").sign(key);
  const whole = await made().setJti("id").setExpirationTime("1 minute").sign(key);
  const read = (token: string) => readToken(NEW, "pending log-in", token, claims);
  expect([await read(endless), await read(nameless)]).toEqual([null, null]);
  expect(await read(whole)).toMatchObject({ id: "id" });
});

test("spends a token once, and stores its digest until it expires", async () => {
  const token = { id: crypto.randomUUID(), expiresAt: AT };
  const spent = await Promise.all([1, 2, 3].map(() => spendToken(db, token)));
  expect(spent.sort()).toEqual([false, false, true]);
  expect(await spendToken(db, { ...token, id: crypto.randomUUID() })).toBe(true);
  const rows = (await db.select().from(usedTokens)).filter(({ digest }) => digest === sha256(token.id));
  expect(rows).toEqual([{ digest: sha256(token.id), expiresAt: AT }]);
});

test("names the session of a refresh token that we issued, by every secret in use", () => {
  const token = issueRefreshToken(OLD, "a-session");
  expect(sessionOfRefreshToken(ROTATED, token)).toBe("a-session");
  expect(sessionOfRefreshToken(NEW, token)).toBeNull();
  expect(issueRefreshToken(OLD, "a-session")).not.toBe(token);
  const [id, nonce, seal] = token.split(".");
  expect(nonce).toMatch(/^[\w-]{22}$/);
  const changed = [
    `another.${nonce}.${seal}`,
    `${id}.${nonce}`,
    `${id}.${nonce}.`,
    `${id}..${seal}`,
    `.${nonce}.${seal}`,
    `${token}.more`,
    `${token}x`,
    `${id}.${nonce}.${seal?.replace(/^./, (first) => (first === "A" ? "B" : "A"))}`,
  ];
  for (const one of changed) expect(sessionOfRefreshToken(ROTATED, one), one).toBeNull();
});

test("gives tabs that ask at the same moment the same refresh token, and each session its own", () => {
  const { SESSION_SECRET } = env;
  const seeded = issueRefreshToken(SESSION_SECRET, "a", "1");
  expect(issueRefreshToken(SESSION_SECRET, "a", "1")).toBe(seeded);
  expect(issueRefreshToken(SESSION_SECRET, "a", "2")).not.toBe(seeded);
  const next = nextRefreshToken(SESSION_SECRET, seeded, "a");
  expect(nextRefreshToken(SESSION_SECRET, seeded, "a")).toBe(next);
  expect(nextRefreshToken(SESSION_SECRET, next, "a")).not.toBe(next);
  expect(sessionOfRefreshToken(SESSION_SECRET, next)).toBe("a");
});
