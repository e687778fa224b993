import type { SimulatedProduct } from "../product/simulated-product.ts";
import { openPatience, type Patience } from "./patience.ts";

/** A time during which the script refuses the database or kills the product, in real and in simulated ms since 1970. */
export type Trouble = { from: number; to: number; simulatedFrom: number; simulatedTo: number };
/** A response that no person should get. Real ms since 1970. */
export type BadResponse = { rule: string; request: string; detail: string; from: number; to: number };

/** The product as the world's people reach it: every response to any of them is checked in one place. */
export type Site = SimulatedProduct &
  Patience & {
    /** Sends a request. `reader` is the canary of whoever reads the response, or null for staff, who may see all. `mayFail`: a 5xx is due. */
    fetch(path: string, init: RequestInit, reader: string | null, mayFail?: boolean): Promise<Response>;
    bad: BadResponse[];
    /** Counts of what happened, which show that an oracle had something to judge. */
    happened: Map<string, number>;
    count(name: string): void;
    /** Says that the customer of an event sends the form that matters, or never will. */
    reach(event: string): void;
    /** Waits for that. */
    reached(event: string): Promise<void>;
  };

/** Each person puts a canary into everything private, so that it can be found in another's response. */
const CANARY = /canary\w+?x\b/g;
const MAX_BYTES = 256 * 1024;
/** Exports, files and lists that a program reads. */
const EXPORTS_AND_LISTS = /\.csv|\.json|\/export|services|\/api\/v2|\/files\//;
const EMPTY_STATUSES = [101, 204, 205, 304];

const LINKS = "https://instagram.com/p/";

/** Returns the link that stands for a subscription to an account's posts. */
export function linkOfUsername(username: string): string {
  return LINKS + username;
}

export function usernameOf(link: string): string {
  return link.slice(LINKS.length);
}

export function canaryOf(person: string | number): string {
  return `canary${person}x`;
}

export function openSite(product: SimulatedProduct): Site {
  const bad: BadResponse[] = [];
  const happened = new Map<string, number>();
  const reaching = new Map<string, PromiseWithResolvers<void>>();
  const reachOf = (event: string) => {
    const known = reaching.get(event) ?? Promise.withResolvers<void>();
    reaching.set(event, known);
    return known;
  };
  const patience = openPatience();
  const { during } = patience;
  return {
    ...product,
    ...patience,
    query: (sql, ...values) => during(product.query(sql, ...values)),
    querySupport: (sql, ...values) => during(product.querySupport(sql, ...values)),
    kill: (rooms) => during(product.kill(rooms)),
    evict: (className, name) => during(product.evict(className, name)),
    stallDatabases: (stall) => during(product.stallDatabases(stall)),
    advance: (ms) => during(product.advance(ms)),
    setDatabaseFaults: (faults) => during(product.setDatabaseFaults(faults)),
    bad,
    happened,
    reach: (event) => reachOf(event).resolve(),
    reached: (event) => reachOf(event).promise,
    count: (name) => happened.set(name, (happened.get(name) ?? 0) + 1),
    async fetch(path, init, reader, mayFail = false) {
      const from = Date.now();
      const request = `${init.method ?? "GET"} ${path}`;
      const broken = (rule: string, detail: string) => bad.push({ rule, request, detail, from, to: Date.now() });
      let response: Response;
      let body: ArrayBuffer;
      const call = async () => {
        const answer = await fetch(product.url + path, { redirect: "manual", ...init });
        return { response: answer, body: await answer.arrayBuffer() };
      };
      try {
        ({ response, body } = await during(call()));
      } catch (error) {
        if (!(init.signal?.aborted ?? false)) broken("a request gets a response", String(error));
        throw error;
      }
      const text = new TextDecoder().decode(body);
      if (response.status >= 500 && !mayFail) broken("no request fails", `${response.status} ${text.slice(0, 300)}`);
      if (body.byteLength > MAX_BYTES && !EXPORTS_AND_LISTS.test(path)) {
        broken("a response is at most 256 KB", `${body.byteLength} bytes`);
      }
      const foreign = reader === null ? undefined : text.match(CANARY)?.find((canary) => canary !== reader);
      if (foreign) broken("nobody receives what is another's", `${reader} received ${foreign}`);
      const { status, headers } = response;
      return new Response(EMPTY_STATUSES.includes(status) ? null : body, { status, headers });
    },
  };
}
