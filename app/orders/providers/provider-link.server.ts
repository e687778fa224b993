import { and, eq, sql } from "drizzle-orm";
import { unseal } from "#app/crypto/seal.server.ts";
import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import {
  type LearnedDialect,
  type ProviderAction,
  providerLog,
  providers,
  providerUseDays,
} from "#app/db/schema.server.ts";
import { log } from "#app/http/log.ts";
import { isPublicUrl } from "#app/http/outgoing/public-url.ts";
import { ownValue } from "#app/own-value.ts";
import { DAY_MS, MINUTE_MS } from "#app/time.ts";
import { conventionNamed } from "./conventions/conventions.ts";
import { readerOf, refusalText, type TaughtWord } from "./dialect.server.ts";
import { learnedFromRefusal, orderParameter } from "./order-parameters.ts";
import { type Connection, postToProvider } from "./provider-client.server.ts";
import { ProviderPace } from "./provider-pace.ts";
import type { Reader } from "./reading/reader.ts";
import type { ProviderResponse } from "./reading/response.ts";

export type FulfillmentEnv = Pick<Env, "ENCRYPTION_KEYS" | "ENVIRONMENT" | "PUSH_DISPATCHER" | "WEBHOOK_DISPATCHER">;
/**
 * A provider's row, with what staff taught for it where its answers are read. `balanceCurrency`: that of our balance there,
 * null or missing if it isn't known.
 */
export type Provider = typeof providers.$inferSelect & { balanceCurrency?: string | null; taught?: TaughtWord[] };
/** The columns that calls change. */
type Observed = "failures" | "openUntil" | "pausedFor" | "pausedUntil" | "dialect";
/** What staff set for a provider, as it was when its row was read. */
export type ProviderSettings = Readonly<Omit<Provider, Observed>>;

/** Calls that aren't stored yet, and those among them without a response that says anything. */
export type CallTally = { calls: number; errors: number };
/** What a dispatcher remembers of its calls from one round to the next. `sent`: the statements of the round that runs. */
export type LinkMemory = { pace: ProviderPace | null; tally: CallTally; statements: { sent: number } };

type CallParams = Record<string, string> & { action: ProviderAction };

/**
 * A round begins nothing more after so many of the 1,000 statements that an invocation may send. The answers to calls that
 * are under way then need fewer than a hundred.
 */
const MAX_STATEMENTS = 850;

/** People only read the start of a response. One per call is kept for 30 days, so the rest would make a large table. */
export const MAX_LOGGED_CHARACTERS = 4000;
const BREAKER_FAILURES = 5;
/** The breaker opens for this long first, and twice as long after each probe that fails. */
const BREAKER_FIRST_MS = 15_000;
/** No divisor or multiple of a minute: a provider that fails at the same second of each minute would fail every probe. */
const BREAKER_MAX_MS = 45_000;
/** After a pause, the next orders show whether the provider has a working key and funds. They are queued again if not. */
const PAUSE_MS = 10 * MINUTE_MS;

/**
 * A connection to one provider with the settings that its row had. Makes the calls and counts them. The breaker, the pause
 * and the dialect, which calls change, are stored and known here alone. With a dispatcher's memory, the calls of all its
 * links keep one pace; without it, only the number of calls at once is limited.
 */
export class ProviderLink {
  readonly db: Db;
  readonly env: FulfillmentEnv;
  readonly settings: ProviderSettings;
  readonly reader: Reader;
  readonly pace: ProviderPace;
  readonly #memory: LinkMemory;
  #connection: Promise<Connection> | undefined;
  #breaker: Breaker;
  #pause: Pick<Provider, "pausedFor" | "pausedUntil">;
  #dialect: LearnedDialect;

  constructor(db: Db, env: FulfillmentEnv, provider: Provider, memory?: LinkMemory) {
    const { failures, openUntil, pausedFor, pausedUntil, dialect, ...settings } = provider;
    this.db = db;
    this.env = env;
    this.settings = settings;
    this.reader = readerOf(settings);
    this.#breaker = { failures, openUntil };
    this.#pause = { pausedFor, pausedUntil };
    this.#dialect = dialect;
    this.#memory = memory ?? { pace: null, tally: { calls: 0, errors: 0 }, statements: { sent: 0 } };
    this.pace = ProviderPace.with(memory ? settings : { ...settings, callsPerMinute: null }, this.#memory.pace);
    this.#memory.pace = this.pace;
  }

  get id(): number {
    return this.settings.id;
  }

  /** What the provider's answers have shown of its API. */
  get dialect(): Readonly<LearnedDialect> {
    return this.#dialect;
  }

  /** Until when no call is made, in ms since 1970. */
  get openUntil(): number {
    return this.#breaker.openUntil;
  }

  /** Until when no order is sent, in ms since 1970. */
  get pausedUntil(): number {
    return this.#pause.pausedUntil;
  }

  /** Returns whether calls may be made: the breaker is closed, the provider did not ask to be left alone, and answers can be stored. */
  takesCalls(): boolean {
    return this.openUntil <= Date.now() && this.mayGoOn();
  }

  /** Returns whether this round may begin to store something more. */
  mayGoOn(): boolean {
    return this.#memory.statements.sent < MAX_STATEMENTS;
  }

  /** Returns whether orders may be sent: the provider takes calls, is enabled and not paused. */
  takesOrders(): boolean {
    return this.settings.enabled && this.takesCalls() && this.pausedUntil <= Date.now();
  }

  /** Returns whether the breaker was open: the provider has to answer a call that costs nothing before it gets orders. */
  needsProbe(): boolean {
    return needsProbe(this.#breaker);
  }

  /** Returns whether calls may be made. A provider whose breaker was open is asked for the balance before. */
  async isUp(): Promise<boolean> {
    return this.takesCalls() && (!this.needsProbe() || (await this.#probe()));
  }

  /** Risks no order. A provider that answers without JSON may have no such call, and is asked for its services. */
  async #probe(): Promise<boolean> {
    let response = await this.call({ action: "balance" });
    if (isAnsweredWithoutJson(response)) response = await this.call({ action: "services" });
    await this.noteResponse(response, response.kind !== "json");
    return response.kind === "json";
  }

  /** Calls one action of the provider's API, at its pace. Throws if its URL or key can't be used. */
  async call(params: CallParams): Promise<ProviderResponse> {
    await this.connect();
    return this.pace.run(() => this.post(params));
  }

  /** Makes a call that its caller has let the pace admit. */
  async post(params: CallParams): Promise<ProviderResponse> {
    return postToProvider(await this.connect(), params);
  }

  /** Makes a call, reads its answer and counts it. `hasFailed` tells whether the answer says nothing. */
  async ask<Answer>(
    params: CallParams,
    read: (response: ProviderResponse, reader: Reader) => Answer,
    hasFailed: (response: ProviderResponse, answer: Answer) => boolean,
  ): Promise<{ response: ProviderResponse; answer: Answer }> {
    const response = await this.call(params);
    const answer = read(response, this.reader);
    await this.noteResponse(response, hasFailed(response, answer));
    if (response.kind === "json" && response.httpStatus >= 400) await this.learn({ refusesWith4xx: true });
    return { response, answer };
  }

  /**
   * Calls for a refill or a cancellation, with the parameter by which the provider takes the order. `said` is null if it takes
   * the order by another one: it did nothing, so the call may be repeated, and the next one has the other parameter.
   */
  async callAbout<Said extends { kind: string }>(
    action: "refill" | "cancel",
    providerOrderId: string,
    read: (response: ProviderResponse, reader: Reader) => Said,
  ): Promise<{ response: ProviderResponse; said: Said | null }> {
    const parameter = orderParameter(this.#speaker, action);
    const response = await this.call({ action, [parameter]: providerOrderId });
    const said = read(response, this.reader);
    if (said.kind === "accepted") return { response, said };
    const learned = learnedFromRefusal(this.#speaker, action, refusalText(response, this.reader) ?? "");
    if (learned) await this.learn(learned);
    return { response, said: learned ? null : said };
  }

  /** Returns the URL, key and convention for calls. Throws if the URL is not allowed or the key cannot be decrypted. */
  connect(): Promise<Connection> {
    this.#connection ??= connectionTo(this.env, this.settings);
    return this.#connection;
  }

  /** Counts a call, and whether it failed. Writes nothing while all goes well. */
  async noteResponse({ retryAfterMs }: Pick<ProviderResponse, "retryAfterMs">, failed: boolean): Promise<void> {
    const { tally } = this.#memory;
    tally.calls++;
    if (failed) tally.errors++;
    if (!failed && this.#breaker.failures === 0 && retryAfterMs === undefined) return;
    this.#breaker = breakerAfter(this.#breaker, { failed, retryAfterMs }, Date.now());
    await this.db.update(providers).set(this.#breaker).where(this.#isSameAccount());
  }

  /** Stores what an answer has shown of the provider's API. Writes nothing that was known. */
  async learn(learned: LearnedDialect): Promise<void> {
    const known = this.#dialect;
    if (Object.entries(learned).every(([name, value]) => ownValue(known, name) === value)) return;
    this.#dialect = { ...known, ...learned };
    await this.db
      .update(providers)
      .set({ dialect: sql`json_patch(${providers.dialect}, ${JSON.stringify(learned)})` })
      .where(this.#isSameAccount());
  }

  /** Pauses orders to a provider that refuses all of them, until staff change it or the pause ends. */
  async pauseOrders(cause: "key" | "funds"): Promise<void> {
    const pausedUntil = Date.now() + PAUSE_MS;
    await this.db.update(providers).set({ pausedFor: cause, pausedUntil }).where(this.#isSameAccount());
    // Orders of this round that are still accepted don't end the pause.
    this.#pause = { ...this.#pause, pausedUntil };
    // Without the provider's words, which may quote our key. They stand in its log of responses.
    log("error", "provider paused", { provider: this.id, cause });
  }

  /** Records that the provider accepts orders again, if it was paused when its row was read. */
  async endPause(): Promise<void> {
    if (this.#pause.pausedFor === null) return;
    await this.db.update(providers).set({ pausedFor: null, pausedUntil: 0 }).where(eq(providers.id, this.id));
    this.#pause = { ...this.#pause, pausedFor: null };
  }

  /** Keeps the start of a raw response, which a person may need to resolve an order. Await it, or put it in a batch. */
  logResponse(orderId: number | null, action: ProviderAction, response: ProviderResponse) {
    const text = response.kind === "json" ? response.raw : `${response.why}\n${response.raw}`;
    return this.db.insert(providerLog).values({
      providerId: this.id,
      orderId,
      action,
      httpStatus: response.httpStatus,
      response: cutText(text, MAX_LOGGED_CHARACTERS),
      createdAt: Date.now(),
    });
  }

  get #speaker() {
    return { convention: this.reader.convention, dialect: this.#dialect };
  }

  /** The provider's row, unless staff gave it another URL or key since: then what was learned is about the old ones. */
  #isSameAccount() {
    const { id, apiUrl, encryptedKey } = this.settings;
    return and(eq(providers.id, id), eq(providers.apiUrl, apiUrl), eq(providers.encryptedKey, encryptedKey));
  }
}

async function connectionTo(
  env: FulfillmentEnv,
  { id, name, apiUrl, encryptedKey, convention }: ProviderSettings,
): Promise<Connection> {
  if (!isPublicUrl(apiUrl, env.ENVIRONMENT === "local")) {
    throw new Error(`provider ${id} has a URL that is not allowed`);
  }
  const key = await unseal(env.ENCRYPTION_KEYS, providerKeyContext(name), encryptedKey);
  return { apiUrl, key, convention: conventionNamed(convention) };
}

/** Returns the additional data of a sealed key, which makes it readable only in its provider's row. */
export function providerKeyContext(providerName: string): string {
  return `provider:${providerName}`;
}

function isAnsweredWithoutJson({ kind, httpStatus, raw, isTurnedAway }: ProviderResponse): boolean {
  const isEmpty = kind === "no_response" && httpStatus === 200 && raw.trim() === "";
  return isEmpty || (kind === "unreadable" && !isTurnedAway);
}

/** Adds calls to those of the UTC day, and clears the tally. Writes nothing if there were none. */
export async function storeCalls(db: Db, providerId: number, tally: CallTally, now = Date.now()): Promise<void> {
  const { calls, errors } = tally;
  if (calls === 0) return;
  await db
    .insert(providerUseDays)
    .values({ providerId, day: Math.floor(now / DAY_MS), calls, errors })
    .onConflictDoUpdate({
      target: [providerUseDays.providerId, providerUseDays.day],
      set: {
        calls: sql`${providerUseDays.calls} + excluded.calls`,
        errors: sql`${providerUseDays.errors} + excluded.errors`,
      },
    });
  // Those that were made meanwhile stay.
  tally.calls -= calls;
  tally.errors -= errors;
}

/** The columns of a provider that stop calls to it: failures in a row, and until when no call is made (ms since 1970). */
export type Breaker = { failures: number; openUntil: number };

/**
 * Returns the breaker after a response. Several failures in a row open it, which stops all calls for a while. So does a
 * response that says for how long it wants none.
 */
export function breakerAfter(
  { failures, openUntil }: Breaker,
  { failed, retryAfterMs = 0 }: { failed: boolean; retryAfterMs?: number | undefined },
  now: number,
): Breaker {
  const inARow = failed ? failures + 1 : 0;
  const overdue = inARow - BREAKER_FAILURES;
  const breakerMs = overdue < 0 ? 0 : Math.min(BREAKER_MAX_MS, BREAKER_FIRST_MS * 2 ** overdue);
  const waitMs = Math.max(breakerMs, retryAfterMs);
  return { failures: inARow, openUntil: waitMs > 0 ? Math.max(openUntil, now + waitMs) : openUntil };
}

/** Returns whether the breaker was open: the provider has to answer a call that costs nothing before it gets orders. */
export function needsProbe({ failures }: Pick<Breaker, "failures">): boolean {
  return failures >= BREAKER_FAILURES;
}
