import { and, eq, gte, lt, lte, sql } from "drizzle-orm";
import { sha256 } from "#app/crypto/sha256.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { providerBalances, providers, providerUseDays } from "#app/db/schema.server.ts";
import { log, logError, runLogged } from "#app/http/log.ts";
import { PROVIDER_USE_KEPT_DAYS } from "#app/orders/sales/old-sales.server.ts";
import { forgetProviderRates } from "#app/orders/services/change-services.server.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";
import { IS_READ_AT_NIGHT } from "./catalog-offers.server.ts";
import { isOurCurrency } from "./order-cost.ts";
import { type FulfillmentEnv, ProviderLink, type ProviderSettings, storeCalls } from "./provider-link.server.ts";
import { readBalance } from "./reading/balance-answer.ts";
import { lastJudgedDay, type UseOfDays } from "./reconciled-day.ts";

/** Often enough that a top-up hides little of what was spent before it. */
export const BALANCE_EVERY_MS = 15 * MINUTE_MS;
const PROVIDERS_PER_RUN = 20;
export const USE_DAYS = 7;

type Balance = typeof providerBalances.$inferSelect;

/**
 * Asks the providers whose balance was last asked for 15 minutes ago. What a balance has fallen by is what our orders
 * really cost there, in its currency. The call also closes the breaker of a provider that got no orders since it opened.
 * `known`: the providers, if somebody has just read them.
 */
export async function readBalances(db: Db, env: FulfillmentEnv, known: ProviderFunds[] | null = null): Promise<void> {
  const now = Date.now();
  const claimed = await claimDue(db, known ?? (await selectProviderFunds(db, now)), now);
  await Promise.all(
    claimed.map((before) =>
      runLogged("provider balance not read", { provider: before.providerId }, () => ask(db, env, before)),
    ),
  );
}

/** Claims the providers that are due, so that overlapping runs count no fall twice. Writes nothing if there are none. */
async function claimDue(db: Db, all: ProviderFunds[], now: number): Promise<Balance[]> {
  const due = all
    .filter(({ enabled, askedAt }) => enabled && (askedAt === null || askedAt <= now - BALANCE_EVERY_MS))
    .slice(0, PROVIDERS_PER_RUN);
  if (due.length === 0) return [];
  return db
    .insert(providerBalances)
    .values(due.map(({ id }) => ({ providerId: id, askedAt: now })))
    .onConflictDoUpdate({
      target: providerBalances.providerId,
      set: { askedAt: now },
      setWhere: lte(providerBalances.askedAt, now - BALANCE_EVERY_MS),
    })
    .returning();
}

async function ask(db: Db, env: FulfillmentEnv, before: Balance): Promise<void> {
  const [provider] = await db.select().from(providers).where(eq(providers.id, before.providerId));
  if (provider) await askForBalance(new ProviderLink(db, env, provider), before);
}

/** Asks a provider for its balance, and stores it with what it has fallen or risen by since `before`. */
export async function askForBalance(link: ProviderLink, before: Balance): Promise<void> {
  const { db, id } = link;
  const response = await link.call({ action: "balance" });
  // A provider that is up is judged by its orders alone.
  if (link.needsProbe()) await link.noteResponse(response, response.kind !== "json");
  const read = readBalance(response, link.reader);
  // A provider without orders is known by these calls alone.
  await storeCalls(db, id, { calls: 1, errors: Number(!read) });
  if (!read) {
    log("warn", "provider balance unreadable", { provider: id, httpStatus: response.httpStatus });
    return;
  }
  await store(db, link.settings, before, read, Date.now());
  // As amounts in our currency, they would make a margin that isn't true.
  if (!isOurCurrency(read.currency)) await forgetProviderRates(db, id);
}

async function store(
  db: Db,
  { id, apiUrl, encryptedKey }: ProviderSettings,
  before: Balance,
  read: { balance: number; currency: string },
  now: number,
): Promise<void> {
  const account = sha256(`${apiUrl} ${encryptedKey}`);
  const set = { account, ...read, readAt: now };
  const own = eq(providerBalances.providerId, id);
  const isSame = before.account === account && before.currency === read.currency && before.balance !== null;
  if (!isSame) {
    // Of another account, what was spent says nothing.
    await db.batch([
      db
        .update(providerBalances)
        .set({ ...set, firstReadAt: now })
        .where(own),
      // The costs stay: they are of our orders.
      db.update(providerUseDays).set({ spent: 0, risen: 0 }).where(eq(providerUseDays.providerId, id)),
    ]);
    return;
  }
  const fell = (before.balance ?? 0) - read.balance;
  const [spent, risen] = [Math.max(0, fell), Math.max(0, -fell)];
  const update = db.update(providerBalances).set(set).where(own);
  if (fell === 0) {
    await update;
    return;
  }
  const day = Math.floor(now / DAY_MS);
  await db.batch([
    update,
    db
      .insert(providerUseDays)
      .values({ providerId: id, day, spent, risen })
      .onConflictDoUpdate({
        target: [providerUseDays.providerId, providerUseDays.day],
        set: {
          spent: sql`${providerUseDays.spent} + excluded.spent`,
          risen: sql`${providerUseDays.risen} + excluded.risen`,
        },
      }),
  ]);
}

/** What happened at a provider lately, by UTC days. */
export type ProviderUse = {
  /** Spent in the last seven days and today, micro-units of the provider's currency. */
  spent: number;
  calls: number;
  errors: number;
  callsYesterday: number;
  errorsYesterday: number;
  /** The last day that can be judged, and its sums and those of it and the day before. */
  day: number;
  judged: UseOfDays;
  withDayBefore: UseOfDays;
};

export type ProviderFunds = {
  id: number;
  name: string;
  enabled: boolean;
  failures: number;
  openUntil: number;
  pausedFor: "key" | "funds" | null;
  balance: number | null;
  currency: string | null;
  /** When we last asked, and when a balance came last and first. */
  askedAt: number | null;
  readAt: number | null;
  firstReadAt: number | null;
  createdAt: number;
  catalogReadAt: number | null;
  isReadAtNight: number;
  use: ProviderUse;
};

/** Returns the statement that lists the providers with their state and funds, in no order. */
export function selectProviderFunds(db: Db, now: number) {
  const today = Math.floor(now / DAY_MS);
  const judged = lastJudgedDay(now);
  const sum = (amount: string, from: number, to: number) =>
    sql.raw(`coalesce(sum(iif(day between ${from} and ${to}, ${amount}, 0)), 0)`);
  const sumsFrom = (from: number) =>
    sql`json_object('cost', ${sum("cost", from, judged)}, 'fell', ${sum("spent", from, judged)}, 'rose', ${sum("risen", from, judged)})`;
  // All from the same few rows.
  const use = sql<string>`(select json_object('spent', coalesce(sum(spent), 0),
      'calls', ${sum("calls", today, today)}, 'errors', ${sum("errors", today, today)},
      'callsYesterday', ${sum("calls", today - 1, today - 1)}, 'errorsYesterday', ${sum("errors", today - 1, today - 1)},
      'day', ${sql.raw(String(judged))}, 'judged', ${sumsFrom(judged)}, 'withDayBefore', ${sumsFrom(judged - 1)})
    from provider_use_days u where u.provider_id = providers.id and day >= ${sql.raw(String(today - USE_DAYS))})`;
  return db
    .select({
      id: providers.id,
      name: providers.name,
      enabled: providers.enabled,
      failures: providers.failures,
      openUntil: providers.openUntil,
      pausedFor: providers.pausedFor,
      balance: providerBalances.balance,
      currency: providerBalances.currency,
      askedAt: providerBalances.askedAt,
      readAt: providerBalances.readAt,
      firstReadAt: providerBalances.firstReadAt,
      createdAt: providers.createdAt,
      catalogReadAt: providers.catalogReadAt,
      isReadAtNight: sql<number>`${IS_READ_AT_NIGHT}`.as("is_read_at_night"),
      use: use.mapWith((text: string) => JSON.parse(text) as ProviderUse).as("use"),
    })
    .from(providers)
    .leftJoin(providerBalances, eq(providerBalances.providerId, providers.id));
}

/** Reads the providers for the jobs of a minute. Returns null if they can't be read. */
export async function readProviderFunds(db: Db, now: number): Promise<ProviderFunds[] | null> {
  try {
    return await selectProviderFunds(db, now);
  } catch (error) {
    logError("providers not read", error);
    return null;
  }
}

/** Returns what is spent at a provider per day, in micro-units of its currency: over seven days, or since we first asked. */
export function dailyUse(
  { use: { spent }, firstReadAt }: Pick<ProviderFunds, "use" | "firstReadAt">,
  now: number,
): number {
  const intoToday = (now % DAY_MS) / DAY_MS;
  const known = (now - (firstReadAt ?? now)) / DAY_MS;
  // A first order must not look like the use of every hour.
  return Math.round(spent / Math.max(1, Math.min(USE_DAYS + intoToday, known)));
}

/** Our funds last less than this: somebody has to add some. */
export const LOW_FUNDS_DAYS = 3;

/** Returns how long our funds last, in days, or null if none are spent or known. */
export function daysLeft(funds: ProviderFunds, now: number): number | null {
  const daily = dailyUse(funds, now);
  return funds.balance === null || daily === 0 ? null : Math.max(0, funds.balance / daily);
}

/** Lists the providers by name, with how long our funds there last. */
export async function listProviderFunds(db: Db, now: number) {
  const funds = await selectProviderFunds(db, now);
  return funds
    .map((row) => {
      const days = daysLeft(row, now);
      return { ...row, daily: dailyUse(row, now), daysLeft: days, isLow: days !== null && days < LOW_FUNDS_DAYS };
    })
    .sort((one, other) => one.name.localeCompare(other.name, "en"));
}

/** Days of a chart of our funds. */
const FUNDS_DAYS = 14;

/** The balance at the end of each of the last days, oldest first; null before the account was first asked. */
export type FundsOfDays = {
  id: number;
  name: string;
  currency: string;
  days: { day: string; balance: number | null }[];
};

/**
 * Returns how our funds at each provider with a known balance developed. Counted back from the balance by what it fell and
 * rose by each day, so that no row a day is stored for it.
 */
export async function readFundsOfDays(
  db: Db,
  funds: Pick<ProviderFunds, "id" | "name" | "balance" | "currency" | "firstReadAt">[],
  now: number,
): Promise<FundsOfDays[]> {
  const today = Math.floor(now / DAY_MS);
  const first = today - FUNDS_DAYS + 1;
  const { providerId, day, spent, risen } = providerUseDays;
  // Each provider by itself: the key begins with it, and the days of a year would be read.
  const ids = JSON.stringify(funds.map(({ id }) => id));
  const rows = await db
    .select({ providerId, day, spent, risen })
    .from(providerUseDays)
    .where(and(sql`${providerId} in (select value from json_each(${ids}))`, gte(day, first)));
  return funds.flatMap(({ id, name, balance, currency, firstReadAt }) => {
    if (balance === null || firstReadAt === null) return [];
    const own = rows.filter((row) => row.providerId === id);
    const days = Array.from({ length: FUNDS_DAYS }, (_, at) => first + at).map((of) => {
      const later = own.filter((row) => row.day > of);
      const since = later.reduce((sum, row) => sum + row.spent - row.risen, 0);
      return { day: dateOf(of), balance: of < Math.floor(firstReadAt / DAY_MS) ? null : balance + since };
    });
    return { id, name, currency: currency ?? "", days };
  });
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Deletes what was spent more than 92 days ago. */
export async function deleteOldProviderUse(db: Db, now = Date.now()): Promise<void> {
  await db.delete(providerUseDays).where(lt(providerUseDays.day, Math.floor(now / DAY_MS) - PROVIDER_USE_KEPT_DAYS));
}
