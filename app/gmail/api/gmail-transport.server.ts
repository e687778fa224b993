import { ReconnectNeeded, type Sleep } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { outsideJson } from "#app/http/outside-json.ts";
import { readAtMost } from "#app/http/requests/read-at-most.ts";
import { HOUR_MS } from "#app/time.ts";
import type { QuotaUse } from "./gmail-quota.ts";
import { classifyResponse, MAX_TRIES, projectPauseMs, type Verdict, waitMs } from "./gmail-retry.ts";

/** Dependencies of the transport: a clock, randomness and tokens. */
export type Tools = {
  apiBase: string;
  /** Returns an access token other than `refused`, the one Google just rejected. */
  token(refused: string | null): Promise<string>;
  sleep: Sleep;
  random: () => number;
  now: () => number;
  /** The longest wait in ms. Longer ones throw TryLater. */
  patienceMs: number;
  /** Counts what the requests use. */
  use: QuotaUse;
};

/** Gmail asks for a pause or cannot be reached. `afterMs` is null if it did not say how long. */
export class TryLater extends Error {
  override name = "TryLater";
  readonly afterMs: number | null;
  readonly why: "crowded" | "away" | "exhausted";
  constructor(why: TryLater["why"], afterMs: number | null, options?: ErrorOptions) {
    super(`Gmail: ${why}`, options);
    this.why = why;
    this.afterMs = afterMs;
  }
}

/** A failure that neither waiting nor reconnecting fixes. */
export class GmailBroken extends Error {
  override name = "GmailBroken";
}

/** A batch of 100 messages without their bodies is a tenth of this. */
const MAX_RESPONSE_BYTES = 10_485_760;
/** Objects, lists and members. A page of 500 changes of many labels each has a fifth of them. */
export const GMAIL_MAX_PARTS = 100_000;

export type GmailRequest = {
  method?: "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Its cost in Gmail's quota. */
  units: number;
};
export type GmailResponse = { contentType: string | null; text: string };
type Attempt = { verdict: Verdict; response: GmailResponse; cause?: unknown };

const TIMEOUT_MS = 30_000;
const EXHAUSTED_MS = HOUR_MS;
/** Refreshed tokens that Google may refuse in a row before we ask to reconnect. */
const MAX_REFUSALS = 1;

/** Sends requests to Gmail's API with the access token of one mailbox, retries and the waits that Gmail asks for. */
export class GmailTransport {
  /** Upstream requests sent so far, including failed ones. */
  requests = 0;
  readonly #tools: Tools;
  #token: string | null = null;
  #refused: string | null = null;
  #refusals = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /** Sends a request and retries it. Throws TryLater when it gives up. */
  async send(request: GmailRequest): Promise<GmailResponse | "gone"> {
    for (let tries = 1; ; tries++) {
      const { verdict, response, cause } = await this.#try(request);
      if (verdict.kind === "ok") return response;
      if (verdict.kind === "gone") return "gone";
      if (verdict.kind === "unauthorized") {
        this.refuseToken();
        continue;
      }
      if (verdict.kind !== "retry") throw refusal(verdict, request.path);
      const wait = waitMs(tries, verdict.afterMs, this.#tools.random);
      if (tries >= MAX_TRIES || wait > this.#tools.patienceMs) {
        throw new TryLater(verdict.crowded ? "crowded" : "away", verdict.afterMs, { cause });
      }
      await this.#tools.sleep(wait);
    }
  }

  /** Replaces the token before the next request. Throws ReconnectNeeded if Google refuses fresh ones too. */
  refuseToken(): void {
    if (++this.#refusals > MAX_REFUSALS) throw new ReconnectNeeded("Google rejects fresh tokens");
    this.#refused = this.#token;
  }

  /** Notes that Google accepted the token, so that a later refusal counts as the first. */
  acceptToken(): void {
    this.#refusals = 0;
  }

  /** Notes a response, or a part of one, after which all mailboxes should wait. */
  noteLimit(status: number, headers: { get(name: string): string | null }, body: unknown): void {
    const { use, now } = this.#tools;
    const pauseMs = projectPauseMs(status, headers, body, now());
    if (pauseMs !== null) use.pauseMs = Math.max(use.pauseMs ?? 0, pauseMs);
  }

  async #try({ method, path, headers, body, units }: GmailRequest): Promise<Attempt> {
    this.#token = await this.#tools.token(this.#refused);
    this.requests++;
    this.#tools.use.units += units;
    try {
      const response = await fetch(this.#tools.apiBase + path, {
        method: method ?? "GET",
        headers: { ...headers, Authorization: `Bearer ${this.#token}`, Accept: "application/json, multipart/mixed" },
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body !== undefined && { body }),
      });
      const bytes = await readAtMost(response, MAX_RESPONSE_BYTES);
      if (!bytes) throw new Error(`Gmail's response is longer than ${MAX_RESPONSE_BYTES} bytes`);
      const text = new TextDecoder().decode(bytes);
      const json = parseJson(text);
      this.noteLimit(response.status, response.headers, json);
      const verdict = classifyResponse(response.status, response.headers, json, this.#tools.now());
      return { verdict, response: { contentType: response.headers.get("Content-Type"), text } };
    } catch (cause) {
      const verdict: Verdict = { kind: "retry", afterMs: null, crowded: false };
      return { verdict, response: { contentType: null, text: "" }, cause };
    }
  }
}

/** Returns the error for a verdict that no retry changes. `what` was requested; its query is left out. */
export function refusal(verdict: Verdict, what: string): Error {
  const [name = what] = what.split("?", 1);
  if (verdict.kind === "forbidden") return new ReconnectNeeded(`reading ${name} is forbidden`);
  if (verdict.kind === "exhausted") return new TryLater("exhausted", EXHAUSTED_MS);
  return new GmailBroken(`${name} was refused`);
}

/** Returns null for text that isn't JSON, or more of it than Gmail sends. */
export function parseJson(text: string): unknown {
  return outsideJson(text, GMAIL_MAX_PARTS);
}
