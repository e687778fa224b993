import { z } from "zod";
import { type BatchResponse, boundaryOf, encodeBatch, parseBatch } from "./gmail-batch.ts";
import { type HistoryPage, historyPage } from "./gmail-history.server.ts";
import { type GmailMessage, parseMessage } from "./gmail-message.server.ts";
import { UNITS } from "./gmail-quota.ts";
import { classifyResponse } from "./gmail-retry.ts";
import {
  GmailBroken,
  type GmailResponse,
  GmailTransport,
  parseJson,
  refusal,
  type Tools,
} from "./gmail-transport.server.ts";

/** The outcome of each requested id. Those in `failed` can be requested again. */
export type MessagesRead = {
  found: GmailMessage[];
  /** Messages that are deleted, or in trash or spam. */
  gone: string[];
  failed: string[];
  crowded: boolean;
  afterMs: number | null;
};

const PAGE_SIZE = 500;
/** A longer history is not worth reading: the newest messages are fewer. */
const MAX_HISTORY_PAGES = 100;
const METADATA = "format=metadata&metadataHeaders=From&metadataHeaders=Subject";

const profile = z.object({
  emailAddress: z.string().min(1),
  historyId: z.string().regex(/^\d+$/),
  /** Trash and spam included. */
  messagesTotal: z.int().min(0).default(0),
});
const listPage = z.object({
  messages: z.array(z.object({ id: z.string().min(1) })).default([]),
  nextPageToken: z.string().optional(),
});

/** Gmail's API for one mailbox. Each method sends one upstream request per page, plus retries. */
export class GmailClient {
  readonly #transport: GmailTransport;
  readonly #now: () => number;

  constructor(tools: Tools) {
    this.#transport = new GmailTransport(tools);
    this.#now = tools.now;
  }

  /** Upstream requests sent so far, including failed ones. */
  get requests(): number {
    return this.#transport.requests;
  }

  async profile(): Promise<z.infer<typeof profile>> {
    return this.#read(
      profile,
      await this.#transport.send({ path: "/gmail/v1/users/me/profile", units: UNITS.profile }),
    );
  }

  /** Lists the newest messages, newest first. `whole` means that the mailbox has no others. */
  async list(max: number): Promise<{ ids: string[]; whole: boolean }> {
    const path = `/gmail/v1/users/me/messages?${new URLSearchParams({ maxResults: String(max) })}`;
    const page = this.#read(listPage, await this.#transport.send({ path, units: UNITS.list }));
    return { ids: page.messages.map(({ id }) => id).slice(0, max), whole: page.nextPageToken === undefined };
  }

  /** Returns the changes since a history id, or "too_old" if Gmail no longer has them or they are too many. */
  async history(since: string): Promise<HistoryPage[] | "too_old"> {
    const pages: HistoryPage[] = [];
    let pageToken: string | undefined;
    do {
      const query = new URLSearchParams({ startHistoryId: since, maxResults: String(PAGE_SIZE) });
      if (pageToken) query.set("pageToken", pageToken);
      const response = await this.#transport.send({
        path: `/gmail/v1/users/me/history?${query}`,
        units: UNITS.history,
      });
      if (response === "gone") return "too_old";
      const page = this.#read(historyPage, response);
      pages.push(page);
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined && pages.length < MAX_HISTORY_PAGES);
    return pageToken === undefined ? pages : "too_old";
  }

  /** Reads messages in one batch request. Failed parts are reported, not retried. */
  async messages(ids: string[]): Promise<MessagesRead> {
    const boundary = `batch_${crypto.randomUUID()}`;
    const parts = ids.map((id) => ({ id, path: `/gmail/v1/users/me/messages/${encodeURIComponent(id)}?${METADATA}` }));
    const response = await this.#transport.send({
      method: "POST",
      path: "/batch/gmail/v1",
      headers: { "Content-Type": `multipart/mixed; boundary="${boundary}"` },
      body: encodeBatch(parts, boundary),
      units: ids.length * UNITS.message,
    });
    if (response === "gone") throw new GmailBroken("the batch endpoint is missing");
    const received = boundaryOf(response.contentType);
    return this.#sort(ids, received ? parseBatch(response.text, received) : []);
  }

  /** Sorts the parts of a batch by their outcome. A requested id without a part counts as failed. */
  #sort(ids: string[], responses: BatchResponse[]): MessagesRead {
    const read: MessagesRead = { found: [], gone: [], failed: [], crowded: false, afterMs: null };
    const byId = new Map(responses.map((response) => [response.id, response]));
    let unauthorized = false;
    for (const id of ids) {
      const response = byId.get(id);
      if (!response) {
        read.failed.push(id);
        continue;
      }
      const headers = new Headers(response.headers);
      this.#transport.noteLimit(response.status, headers, response.body);
      const verdict = classifyResponse(response.status, headers, response.body, this.#now());
      switch (verdict.kind) {
        case "ok":
          addMessage(read, id, response.body);
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
    if (read.found.length > 0) this.#transport.acceptToken();
    if (unauthorized) this.#transport.refuseToken();
    return read;
  }

  #read<T>(schema: z.ZodType<T>, response: GmailResponse | "gone"): T {
    if (response === "gone") throw new GmailBroken("a Gmail endpoint is missing");
    const parsed = schema.safeParse(parseJson(response.text));
    if (!parsed.success)
      throw new GmailBroken("Gmail's response does not match its documentation", { cause: parsed.error });
    this.#transport.acceptToken();
    return parsed.data;
  }
}

function addMessage(read: MessagesRead, id: string, body: unknown): void {
  const message = parseMessage(body);
  if (message === "hidden") read.gone.push(id);
  // A part with the id of another message would store it in the wrong place.
  else if (message?.id === id) read.found.push(message);
  else read.failed.push(id);
}
