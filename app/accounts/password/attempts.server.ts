import type { AppLoadContext } from "@remix-run/cloudflare";
import { not, type SQL, sql } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { recordAttempt } from "#app/accounts/events/security-events.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { countAttempt, countGroups, forgetAttempts, type Limit, uncountAttempt } from "#app/db/rate-limit.server.ts";
import { emailKey } from "#app/email-address.ts";
import { HOUR_MS, MINUTE_MS } from "#app/time.ts";

export type AttemptKind = "sign_in" | "sign_up" | "recover" | "refresh";
export type TooMany = { ok: false; status: 429; text: string; headers: { "Retry-After": string } };

type Context = Pick<AppLoadContext, "db" | "env">;
type Caller = {
  /** The typed email, even if it doesn't exist, or the session of a refresh token. */
  account: string;
  /** A device that the account is known to use. It has counters of its own, which nobody else can use up. */
  device?: string | null;
};
/** The device of a request. `isKnown`: whether the account uses it, which the batch that counts finds out. */
type SentDevice = { digest: string; isKnown: SQL };

const RATE_LIMIT_SECONDS = 60;

/** A caller is an account together with an IP address or a known device. Nobody can use up another caller's attempts. */
const LIMITS: Record<AttemptKind, { periodMs: number; perCaller: number; perAddress: number }> = {
  sign_in: { periodMs: 15 * MINUTE_MS, perCaller: 10, perAddress: 100 },
  sign_up: { periodMs: HOUR_MS, perCaller: 10, perAddress: 30 },
  recover: { periodMs: HOUR_MS, perCaller: 3, perAddress: 30 },
  refresh: { periodMs: 5 * MINUTE_MS, perCaller: 60, perAddress: 600 },
};

/** Failed sign-ins of one account over all addresses, without its known devices. Bounds distributed guessing. */
const FAILURES_PER_ACCOUNT = { max: 100, periodMs: HOUR_MS };
/**
 * Reset emails to one account over all addresses, without its known devices. The period is shorter than a link lasts:
 * whoever asks while it is used up has a link in the mailbox that works for another 45 minutes at least.
 */
const RESET_EMAILS_PER_ACCOUNT = { max: 3, periodMs: 15 * MINUTE_MS };
const PASSWORD_CHECKS_PER_SESSION = { max: 10, periodMs: 15 * MINUTE_MS };
/** Each sends an email, which waits in the queue that all accounts share, to an address that may be a stranger's. */
const PASSWORD_CHANGES_PER_ACCOUNT = { max: 10, periodMs: HOUR_MS };

/**
 * Counts the attempt, and reads what it needs in the same batch. Call it before doing any work. The rate-limit binding is
 * an approximate outer limit; the exact counters are in D1. See
 * docs/decisions/accounts/0034-limits-that-lock-nobody-out.md.
 */
export async function limitAttempts<const Read extends readonly BatchItem<"sqlite">[]>(
  context: Context & Pick<AppLoadContext, "requestId" | "waitUntil">,
  visit: Visit,
  kind: AttemptKind,
  { account, device = null }: { account: string; device?: SentDevice | null },
  ...read: Read
): Promise<{ ok: true; isKnownDevice: boolean; read: BatchResponse<Read> } | TooMany> {
  const { db } = context;
  if (await isOverOuterLimit(context, visit, device)) return tooMany(RATE_LIMIT_SECONDS);
  const groups = [
    {
      limits: device === null ? [] : limitsOfDevice(kind, visit, { account, device: device.digest }),
      condition: device?.isKnown,
    },
    { limits: limitsOfOthers(kind, visit, account), condition: device ? not(device.isKnown) : undefined },
  ];
  const { read: found, results } = await countGroups(db, groups, read);
  const [known = null, others = null] = results;
  const allowed = known ?? others ?? { ok: true };
  if (allowed.ok) return { ok: true, isKnownDevice: known !== null, read: found };
  if (kind === "sign_in" || kind === "recover") recordAttempt(context, visit, account, "limited");
  return tooMany(allowed.retryAfterSeconds);
}

/**
 * Asks the outer limit. A known device is not bound by its address. Anybody can have cookies that name others, so this is
 * known before a write.
 */
async function isOverOuterLimit({ db, env }: Context, { network }: Visit, device: SentDevice | null): Promise<boolean> {
  const isFlood = async (key: string) => !(await env.AUTH_RATE_LIMIT.limit({ key })).success;
  if (network === null || !(await isFlood(network))) return false;
  return device === null || (await isFlood(device.digest)) || !(await isKnown(db, device));
}

async function isKnown(db: Db, device: SentDevice): Promise<boolean> {
  return (await db.get<{ known: number }>(sql`select ${device.isKnown} as known`)).known === 1;
}

function limitsOfDevice(kind: AttemptKind, visit: Visit, caller: Caller): Limit[] {
  const { periodMs, perCaller } = LIMITS[kind];
  return [{ ...callerCounter(kind, visit, caller), max: perCaller, periodMs }];
}

/** Returns the limits of an attempt that names no known device: the address's, the caller's and the account's. */
function limitsOfOthers(kind: AttemptKind, visit: Visit, account: string): Limit[] {
  const { periodMs, perCaller, perAddress } = LIMITS[kind];
  const limits: Limit[] = [{ ...callerCounter(kind, visit, { account }), max: perCaller, periodMs }];
  if (visit.network !== null)
    limits.unshift({ name: `${kind}:address`, who: visit.network, max: perAddress, periodMs });
  if (kind === "sign_in") limits.push({ ...failuresCounter(account), ...FAILURES_PER_ACCOUNT });
  return limits;
}

/**
 * Builds the statements that clear the caller's count after a correct password. It was no failure, so the account's count
 * is corrected.
 */
export function forgetSignInAttempts(db: Db, visit: Visit, caller: Caller) {
  const own = forgetAttempts(db, callerCounter("sign_in", visit, caller));
  return caller.device ? ([own] as const) : ([own, uncountAttempt(db, failuresCounter(caller.account))] as const);
}

/** Clears the failures of the account over all addresses, after its owner has reset the password. */
export async function forgetFailures({ db }: Context, visit: Visit, account: string): Promise<void> {
  await forgetAttempts(db, callerCounter("sign_in", visit, { account }));
  await forgetAttempts(db, failuresCounter(account));
}

/**
 * Counts a password that a signed-in user has typed. Counts by session, so that guesses of others don't count, and those
 * with a stolen session don't keep the owner out.
 */
export async function limitPasswordChecks({ db }: Context, sessionId: string): Promise<{ ok: true } | TooMany> {
  return refusedOr(await countAttempt(db, [{ ...checksCounter(sessionId), ...PASSWORD_CHECKS_PER_SESSION }]));
}

/** Clears the count of `limitPasswordChecks` after a correct password. */
export async function forgetPasswordChecks({ db }: Context, sessionId: string): Promise<void> {
  await forgetAttempts(db, checksCounter(sessionId));
}

/** Counts a change of the password by a signed-in user. A reset by an emailed link is not counted. */
export async function limitPasswordChanges({ db }: Context, userId: string): Promise<{ ok: true } | TooMany> {
  return refusedOr(await countAttempt(db, [{ name: "password_change", who: userId, ...PASSWORD_CHANGES_PER_ACCOUNT }]));
}

/** Counts a reset email to a device that isn't known. Returns false if the account was sent enough a short while ago. */
export async function mayEmailReset({ db }: Context, account: string): Promise<boolean> {
  const limit = { name: "recover:account", who: accountKey(account), ...RESET_EMAILS_PER_ACCOUNT };
  return (await countAttempt(db, [limit])).ok;
}

type Counter = Pick<Limit, "name" | "who">;

function callerCounter(kind: AttemptKind, visit: Visit, { account, device }: Caller): Counter {
  const [name, from] = device ? ["device", device] : ["caller", visit.network ?? "local"];
  return { name: `${kind}:${name}`, who: `${from} ${accountKey(account)}` };
}

function failuresCounter(account: string): Counter {
  return { name: "sign_in:account", who: accountKey(account) };
}

function checksCounter(sessionId: string): Counter {
  return { name: "password_check", who: sessionId };
}

/** Key of an account in the counters: its email address, or the id of a session. */
function accountKey(account: string): string {
  return emailKey(account);
}

function refusedOr(counted: Awaited<ReturnType<typeof countAttempt>>): { ok: true } | TooMany {
  return counted.ok ? counted : tooMany(counted.retryAfterSeconds);
}

export function tooMany(seconds: number): TooMany {
  const wait = seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`;
  return {
    ok: false,
    status: 429,
    text: `Too many attempts. Please try again in ${wait}.`,
    headers: { "Retry-After": String(seconds) },
  };
}
