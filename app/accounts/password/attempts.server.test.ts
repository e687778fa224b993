import { env } from "cloudflare:workers";
import type { AppLoadContext } from "@remix-run/cloudflare";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { listSecurityEvents } from "#app/accounts/events/security-events.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import { sha256 } from "#app/crypto/sha256.server.ts";
import { rateLimits, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import {
  type AttemptKind,
  forgetFailures,
  forgetPasswordChecks,
  forgetSignInAttempts,
  limitAttempts,
  limitPasswordChanges,
  limitPasswordChecks,
  mayEmailReset,
  type TooMany,
  tooMany,
} from "./attempts.server.ts";

type Allowed = { ok: true } | TooMany;

const KINDS: [kind: AttemptKind, perCaller: number, perAddress: number, minutes: number][] = [
  ["sign_in", 10, 100, 15],
  ["sign_up", 10, 30, 60],
  ["recover", 3, 30, 60],
  ["refresh", 60, 600, 5],
];

test.for(KINDS)("allows %s %i times to a caller and %i times to an address, in %i minutes", async (limits) => {
  const [kind, perCaller, perAddress, minutes] = limits;
  const [account, visit] = [newWho(), from(newAddress())];
  const attempt = (one: Visit, who: string) => limitAttempts(allowing(), one, kind, { account: who });
  expect(await allowedOf(perCaller, () => attempt(visit, account))).toBe(perCaller);
  expectWait(await attempt(visit, ` ${account.toUpperCase()} `), minutes);
  expect(await attempt(from(newAddress()), account)).toMatchObject({ ok: true });
  expect(await attempt(visit, newWho())).toMatchObject({ ok: true });
  const address = newAddress();
  const crowd = () => attempt(from(address), newWho());
  expect(await crowd()).toMatchObject({ ok: true });
  await setCount(`${kind}:address`, address, perAddress - 1);
  expect(await crowd()).toMatchObject({ ok: true });
  expectWait(await crowd(), minutes);
});

test("counts a known device apart from its address and from everybody's guesses", async () => {
  const [account, address] = [newWho(), newAddress()];
  const visit = from(address);
  const refusing = allowing({ limit: async ({ key }) => ({ success: key !== address }) });
  const attempt = (device: string) => limitAttempts(refusing, visit, "sign_in", { account, device: known(device) });
  expect(await allowedOf(11, () => attempt("a device"))).toBe(10);
  expectWait(await attempt("a device"), 15);
  expect(await attempt("another")).toMatchObject({ ok: true, isKnownDevice: true });
  expect(await allowedOf(11, () => limitAttempts(allowing(), visit, "sign_in", { account }))).toBe(10);
});

test("counts a device that the account doesn't use with its address", async () => {
  const [account, address] = [newWho(), newAddress()];
  const device = { digest: "another's", isKnown: sql`0` };
  const attempt = (context = allowing()) => limitAttempts(context, from(address), "sign_in", { account, device });
  expect(await attempt()).toMatchObject({ ok: true, isKnownDevice: false });
  expect(await allowedOf(10, attempt)).toBe(9);
  expect((await limitAttempts(allowing(), from(address), "sign_in", { account })).ok).toBe(false);
});

test("asks and writes nothing else for any device that isn't known, once its address is over the outer limit", async () => {
  const [address, asked] = [newAddress(), [] as string[]];
  const refusing = allowing({ limit: async ({ key }) => ({ success: asked.push(key) > 0 && key !== address }) });
  const before = await db.$count(rateLimits);
  for (const kind of ["sign_in", "recover"] as const) {
    const device = { digest: `another's for ${kind}`, isKnown: sql`0` };
    expect(await limitAttempts(refusing, from(address), kind, { account: newWho(), device })).toEqual(tooMany(60));
  }
  expect(await db.$count(rateLimits)).toBe(before);
  expect(asked).toEqual([address, "another's for sign_in", address, "another's for recover"]);
  // A known device has the outer limit to itself.
  const none = allowing({ limit: async () => ({ success: false }) });
  const own = { account: newWho(), device: known("own") };
  expect(await limitAttempts(none, from(address), "sign_in", own)).toEqual(tooMany(60));
  expect(await db.$count(rateLimits)).toBe(before);
});

test("allows ten of fifty parallel attempts, and reads the account in the batch that counts", async () => {
  const { userId, email } = await newAccount();
  const read = db.select({ userId: users.id }).from(users).where(eq(users.email, email));
  for (const device of [null, known("own"), { digest: "another's", isKnown: sql`0` }]) {
    const visit = from(newAddress());
    const attempts = await Promise.all(
      Array.from({ length: 50 }, () => limitAttempts(allowing(), visit, "sign_in", { account: email, device }, read)),
    );
    const allowed = attempts.filter((attempt) => attempt.ok);
    expect(allowed).toHaveLength(10);
    for (const attempt of allowed) expect(attempt.read).toEqual([[{ userId }]]);
  }
});

test("refuses what the outer limit of the network address refuses, for a minute", async () => {
  const [asked, address] = [[] as string[], newAddress()];
  const refusing = allowing({ limit: async ({ key }) => ({ success: asked.push(key) === 0 }) });
  const caller = { account: newWho() };
  expect(await limitAttempts(refusing, from(address), "sign_in", caller)).toEqual(tooMany(60));
  expect(asked).toEqual([address]);
  // A loopback visit has no address to count.
  expect(await limitAttempts(refusing, newVisit(), "sign_in", caller)).toMatchObject({ ok: true });
  expect(asked).toHaveLength(1);
});

test("bounds the failures of one account over all addresses for an hour, and those of no other kind", async () => {
  const account = newWho();
  const guess = (kind: AttemptKind = "sign_in") => limitAttempts(allowing(), from(newAddress()), kind, { account });
  expect(await guess()).toMatchObject({ ok: true });
  await setCount("sign_in:account", account, 99);
  expect(await guess()).toMatchObject({ ok: true });
  expectWait(await guess(), 60);
  expect(await guess("sign_up")).toMatchObject({ ok: true });
  const device = known("own");
  expect(await limitAttempts(allowing(), from(newAddress()), "sign_in", { account, device })).toMatchObject({
    ok: true,
  });
});

test("gives a correct password's attempt back, to its caller and to the account", async () => {
  const [account, visit] = [newWho(), from(newAddress())];
  const attempt = () => limitAttempts(allowing(), visit, "sign_in", { account });
  const others = () => limitAttempts(allowing(), from(newAddress()), "sign_in", { account });
  expect(await allowedOf(10, attempt)).toBe(10);
  await setCount("sign_in:account", account, 100);
  await db.batch(forgetSignInAttempts(db, visit, { account, device: "own" }));
  expect((await others()).ok).toBe(false);
  await setCount("sign_in:account", account, 100);
  await db.batch(forgetSignInAttempts(db, visit, { account }));
  expect(await allowedOf(2, attempt)).toBe(1);
});

test("lets the owner try again after a reset, from any address", async () => {
  const [account, visit] = [newWho(), from(newAddress())];
  const attempt = () => limitAttempts(allowing(), visit, "sign_in", { account });
  expect(await allowedOf(11, attempt)).toBe(10);
  await setCount("sign_in:account", account, 100);
  await forgetFailures(allowing(), visit, account);
  expect(await allowedOf(11, attempt)).toBe(10);
  expect(await limitAttempts(allowing(), from(newAddress()), "sign_in", { account })).toMatchObject({ ok: true });
});

test("clears a device's count after its correct password, and nobody else's", async () => {
  const [account, visit] = [newWho(), from(newAddress())];
  const attempt = (device?: string) =>
    limitAttempts(allowing(), visit, "sign_in", { account, device: device ? known(device) : null });
  expect(await allowedOf(10, () => attempt("own"))).toBe(10);
  expect(await allowedOf(10, () => attempt())).toBe(10);
  await db.batch(forgetSignInAttempts(db, visit, { account, device: "own" }));
  expect((await attempt()).ok).toBe(false);
  expect(await allowedOf(11, () => attempt("own"))).toBe(10);
});

test.for<[AttemptKind, number, string[]]>([
  ["sign_in", 10, ["limited"]],
  ["recover", 3, ["limited"]],
  ["sign_up", 10, []],
  ["refresh", 60, []],
])("shows the owner that %s was limited, if somebody may be guessing", async ([kind, max, events]) => {
  const { userId, email } = await newAccount();
  const work: Promise<unknown>[] = [];
  const context = { ...allowing(), waitUntil: (one: Promise<unknown>) => void work.push(one) };
  const visit = from(newAddress());
  const attempt = () => limitAttempts(context, visit, kind, { account: email });
  await allowedOf(max, attempt);
  expect(work).toEqual([]);
  await attempt();
  await Promise.all(work);
  expect((await listSecurityEvents(db, userId, { limit: 9 })).map((event) => event.kind)).toEqual(events);
});

test("sends three reset emails to an account in a quarter of an hour", async () => {
  const account = newWho();
  const sent = [];
  for (const typed of [account, ` ${account}`, account.toUpperCase(), account]) {
    sent.push(await mayEmailReset(allowing(), typed));
  }
  expect(sent).toEqual([true, true, true, false]);
  expect(await mayEmailReset(allowing(), newWho())).toBe(true);
});

test("limits the passwords typed in a session to ten in 15 minutes, until one is right", async () => {
  const [sessionId, other] = [newWho(), newWho()];
  expect(await allowedOf(10, () => limitPasswordChecks(allowing(), sessionId))).toBe(10);
  expectWait(await limitPasswordChecks(allowing(), sessionId), 15);
  expect(await limitPasswordChecks(allowing(), other)).toEqual({ ok: true });
  await forgetPasswordChecks(allowing(), other);
  expect((await limitPasswordChecks(allowing(), sessionId)).ok).toBe(false);
  await forgetPasswordChecks(allowing(), sessionId);
  expect(await limitPasswordChecks(allowing(), sessionId)).toEqual({ ok: true });
});

test("limits changes of one account's password to ten an hour", async () => {
  const userId = newWho();
  expect(await allowedOf(10, () => limitPasswordChanges(allowing(), userId))).toBe(10);
  expectWait(await limitPasswordChanges(allowing(), userId), 60);
  expect(await limitPasswordChanges(allowing(), newWho())).toEqual({ ok: true });
});

test("tells the time to wait in seconds up to a minute and a half, then in whole minutes", () => {
  const waits = [1, 90, 91, 120, 121].map((seconds) => tooMany(seconds));
  expect(waits.map(({ text }) => text.replace("Too many attempts. Please try again in ", ""))).toEqual([
    "1 seconds.",
    "90 seconds.",
    "2 minutes.",
    "2 minutes.",
    "3 minutes.",
  ]);
  expect(waits.map(({ headers }) => headers["Retry-After"])).toEqual(["1", "90", "91", "120", "121"]);
});

/** Sets how many attempts are counted, as if there had been so many. */
async function setCount(name: string, who: string, count: number): Promise<void> {
  const set = await db
    .update(rateLimits)
    .set({ count })
    .where(eq(rateLimits.key, `${name}:${sha256(who)}`))
    .returning();
  expect(set).toHaveLength(1);
}

function expectWait(refused: Allowed, minutes: number): void {
  if (refused.ok) throw new Error("not refused");
  const seconds = Number(refused.headers["Retry-After"]);
  expect(seconds).toBeGreaterThan(minutes * 60 - 60);
  expect(seconds).toBeLessThanOrEqual(minutes * 60);
}

/** Runs that many attempts at once and returns how many were allowed. */
async function allowedOf(times: number, attempt: () => Promise<Allowed>): Promise<number> {
  const results = await Promise.all(Array.from({ length: times }, () => attempt()));
  return results.filter(({ ok }) => ok).length;
}

/** A context whose outer limit allows everything, unless it is given. */
function allowing(binding: Env["AUTH_RATE_LIMIT"] = { limit: async () => ({ success: true }) }): AppLoadContext {
  return loadContext({ env: { ...env, AUTH_RATE_LIMIT: binding } });
}

function from(network: string): Visit {
  return newVisit({ network });
}

let addresses = 0;

function newAddress(): string {
  addresses += 1;
  return `10.77.${addresses >> 8}.${addresses & 255}`;
}

/** A device that the account uses. */
function known(digest: string) {
  return { digest, isKnown: sql`1` };
}

function newWho(): string {
  return `${crypto.randomUUID()}@test.example`;
}
