import { z } from "zod";
import { ReconnectNeeded, type Sleep } from "#app/gmail/tokens/gmail-tokens.server.ts";
import { type BatchAnswer, boundaryOf, encodeBatch, parseBatch } from "./gmail-batch.ts";
import { type HistoryPage, historyPage } from "./gmail-history.ts";
import { type GmailMessage, parseMessage } from "./gmail-message.ts";
import { judge, MAX_TRIES, type Verdict, waitMs } from "./gmail-retry.ts";

/** Dependencies of the client: a clock, randomness and tokens. */
export type Tools = {
  apiBase: string;
  /** Returns an access token other than `refused`, the one Google just rejected. */
  token(refused: string | null): Promise<string>;
  sleep: Sleep;
  random: () => number;
  now: () => number;
  /** The longest wait in ms. Longer ones throw TryLater. */
  patienceMs: number;
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

/** The outcome of each requested id. Those in `failed` can be requested again. */
export type MessagesRead = {
  found: GmailMessage[];
  /** Messages that are deleted, or in trash or spam. */
  gone: string[];
  failed: string[];
  crowded: boolean;
  afterMs: number | null;
};

const TIMEOUT_MS = 30_000;
const PAGE_SIZE = 500;
const EXHAUSTED_MS = 60 * 60_000;

const profile = z.object({ emailAddress: z.string().min(1), historyId: z.string().regex(/^\d+$/) });
const listPage = z.object({
  messages: z.array(z.object({ id: z.string().min(1) })).default([]),
  nextPageToken: z.string().optional(),
});

const METADATA = "format=metadata&metadataHeaders=From&metadataHeaders=Subject";
/** Refreshed tokens that Google may refuse in a row before we ask to reconnect. */
const MAX_REFUSALS = 1;

type Ask = { method?: "POST"; path: string; headers?: Record<string, string>; body?: string };
type Answer = { contentType: string | null; text: string };
type Tried = { verdict: Verdict; answer: Answer; cause?: unknown };

/** Gmail's API for one mailbox. Each method sends one upstream request per page, plus retries. */
export class GmailClient {
  /** Upstream requests sent so far, including failed ones. */
  requests = 0;
  readonly #tools: Tools;
  #token: string | null = null;
  #refused: string | null = null;
  #refusals = 0;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  async profile(): Promise<z.infer<typeof profile>> {
    return this.#read(profile, await this.#send({ path: "/gmail/v1/users/me/profile" }));
  }

  /** Lists the newest messages, newest first. `whole` means that the mailbox has no others. */
  async list(max: number): Promise<{ ids: string[]; whole: boolean }> {
    const path = `/gmail/v1/users/me/messages?${new URLSearchParams({ maxResults: String(max) })}`;
    const page = this.#read(listPage, await this.#send({ path }));
    return { ids: page.messages.map(({ id }) => id).slice(0, max), whole: page.nextPageToken === undefined };
  }

  /** Returns the changes since a history id, or "too_old" if Gmail no longer has them. */
  async history(since: string): Promise<HistoryPage[] | "too_old"> {
    const pages: HistoryPage[] = [];
    let pageToken: string | undefined;
    do {
      const query = new URLSearchParams({ startHistoryId: since, maxResults: String(PAGE_SIZE) });
      if (pageToken) query.set("pageToken", pageToken);
      const answer = await this.#send({ path: `/gmail/v1/users/me/history?${query}` });
      if (answer === "gone") return "too_old";
      const page = this.#read(historyPage, answer);
      pages.push(page);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    return pages;
  }

  /** Reads messages in one batch request. Failed parts are reported, not retried. */
  async messages(ids: string[]): Promise<MessagesRead> {
    const boundary = `batch_${crypto.randomUUID()}`;
    const parts = ids.map((id) => ({ id, path: `/gmail/v1/users/me/messages/${encodeURIComponent(id)}?${METADATA}` }));
    const answer = await this.#send({
      method: "POST",
      path: "/batch/gmail/v1",
      headers: { "Content-Type": `multipart/mixed; boundary="${boundary}"` },
      body: encodeBatch(parts, boundary),
    });
    if (answer === "gone") throw new GmailBroken("the batch endpoint is missing");
    const answered = boundaryOf(answer.contentType);
    return this.#sort(ids, answered ? parseBatch(answer.text, answered) : []);
  }

  #sort(ids: string[], answers: BatchAnswer[]): MessagesRead {
    const read: MessagesRead = { found: [], gone: [], failed: [], crowded: false, afterMs: null };
    const byId = new Map(answers.map((answer) => [answer.id, answer]));
    let unauthorized = false;
    for (const id of ids) {
      const answer = byId.get(id);
      if (!answer) {
        read.failed.push(id);
        continue;
      }
      const verdict = judge(answer.status, new Headers(answer.headers), answer.body, this.#tools.now());
      switch (verdict.kind) {
        case "ok":
          take(read, id, answer.body);
          break;
        case "gone":
          read.gone.push(id);
          break;
        case "retry":
          read.crowded ||= verdict.crowded;
          if (verdict.afterMs !== null) read.afterMs = Math.max(read.afterMs ?? 0, verdict.afterMs);
          read.failed.push(id);
          break;
        case "unauthorized":
          unauthorized = true;
          read.failed.push(id);
          break;
        default:
          throw refusal(verdict, "a message");
      }
    }
    if (read.found.length > 0) this.#refusals = 0;
    if (unauthorized) this.#refuseToken();
    return read;
  }

  /** Sends a request with retries and the waits that Gmail asks for. Throws TryLater when it gives up. */
  async #send(ask: Ask): Promise<Answer | "gone"> {
    for (let tries = 1; ; tries++) {
      const { verdict, answer, cause } = await this.#try(ask);
      if (verdict.kind === "ok") return answer;
      if (verdict.kind === "gone") return "gone";
      if (verdict.kind === "unauthorized") {
        this.#refuseToken();
        continue;
      }
      if (verdict.kind !== "retry") throw refusal(verdict, ask.path);
      const wait = waitMs(tries, verdict.afterMs, this.#tools.random);
      if (tries >= MAX_TRIES || wait > this.#tools.patienceMs) {
        throw new TryLater(verdict.crowded ? "crowded" : "away", verdict.afterMs, { cause });
      }
      await this.#tools.sleep(wait);
    }
  }

  async #try({ method, path, headers, body }: Ask): Promise<Tried> {
    this.#token = await this.#tools.token(this.#refused);
    this.requests++;
    try {
      const response = await fetch(this.#tools.apiBase + path, {
        method: method ?? "GET",
        headers: { ...headers, Authorization: `Bearer ${this.#token}`, Accept: "application/json, multipart/mixed" },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body !== undefined && { body }),
      });
      // Not text(), which makes workerd warn about multipart bodies.
      const text = new TextDecoder().decode(await response.arrayBuffer());
      const verdict = judge(response.status, response.headers, parseJson(text), this.#tools.now());
      return { verdict, answer: { contentType: response.headers.get("Content-Type"), text } };
    } catch (cause) {
      return {
        verdict: { kind: "retry", afterMs: null, crowded: false },
        answer: { contentType: null, text: "" },
        cause,
      };
    }
  }

  #refuseToken(): void {
    if (++this.#refusals > MAX_REFUSALS) throw new ReconnectNeeded("Google rejects fresh tokens");
    this.#refused = this.#token;
  }

  #read<T>(schema: z.ZodType<T>, answer: Answer | "gone"): T {
    if (answer === "gone") throw new GmailBroken("a Gmail endpoint is missing");
    const parsed = schema.safeParse(parseJson(answer.text));
    if (!parsed.success)
      throw new GmailBroken("Gmail's response does not match its documentation", { cause: parsed.error });
    this.#refusals = 0;
    return parsed.data;
  }
}

function take(read: MessagesRead, id: string, body: unknown): void {
  const message = parseMessage(body);
  if (message === "hidden") read.gone.push(id);
  // A part with the id of another message would store it in the wrong place.
  else if (message?.id === id) read.found.push(message);
  else read.failed.push(id);
}

function refusal(verdict: Verdict, what: string): Error {
  if (verdict.kind === "forbidden") return new ReconnectNeeded(`reading ${what.split("?")[0]} is forbidden`);
  if (verdict.kind === "exhausted") return new TryLater("exhausted", EXHAUSTED_MS);
  return new GmailBroken(`${what.split("?")[0]} was refused`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
