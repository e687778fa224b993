import { setTimeout as wait } from "node:timers/promises";

/** A visitor of a deployed site, who can ask for one version of it. */

/** The response header with the version that answered: `setHeaders` of workers/app.ts. */
export const VERSION_HEADER = "X-Worker-Version";
const OVERRIDE_HEADER = "Cloudflare-Workers-Version-Overrides";
const TIMEOUT_MS = 30_000;
/** A new deployment takes seconds until it is everywhere; the certificate of a new domain takes minutes. */
const SERVED_WITHIN_MS = 5 * 60_000;
const POLL_MS = 1000;
/** Few enough for any rate limit; at 10 %, all of them reach the old version by chance once in seventy times. */
const AFFINITY_REQUESTS = 40;
/** Answered by the worker, which reads nothing for it. */
const CHEAP_PATH = "/healthz";

export type SiteClient = {
  url: string;
  /** Fetches with the site's cookies. Throws if another version answered. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  postJson(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  postForm(path: string, fields: Record<string, string>): Promise<Response>;
  openSocket(path: string): WebSocket;
};

/** `version`: null takes any. `cookies` are kept between calls. */
export function siteClient(
  url: string,
  worker: string,
  version: string | null,
  cookies: Map<string, string>,
): SiteClient {
  const origin = new URL(url).origin;
  const headersWith = (headers: HeadersInit = {}) => {
    const all = new Headers({ Origin: origin, "User-Agent": "Growline smoke test", ...overrideFor(worker, version) });
    if (cookies.size > 0) all.set("Cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    for (const [name, value] of new Headers(headers)) all.set(name, value);
    return all;
  };
  const client: SiteClient = {
    url: origin,
    async fetch(path, init = {}) {
      const response = await fetch(new URL(path, origin), {
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...init,
        headers: headersWith(init.headers),
      });
      const answered = response.headers.get(VERSION_HEADER);
      if (version !== null && answered !== version) {
        throw new Error(`${path} was answered by ${answered ?? "something else"}, not by version ${version}`);
      }
      for (const line of response.headers.getSetCookie()) keepCookie(cookies, line);
      return response;
    },
    postJson: (path, body, headers) =>
      client.fetch(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json", ...headers },
      }),
    postForm: (path, fields) => client.fetch(path, { method: "POST", body: new URLSearchParams(fields) }),
    openSocket(path) {
      const target = new URL(path, origin.replace(/^http/, "ws"));
      // Node's WebSocket accepts headers, which the DOM type lacks.
      return new WebSocket(target, { headers: Object.fromEntries(headersWith()) } as unknown as string[]);
    },
  };
  return client;
}

/** Waits until that version answers, or any if it is null. */
export async function untilServed(url: string, worker: string, version: string | null): Promise<void> {
  const until = Date.now() + SERVED_WITHIN_MS;
  for (;;) {
    const seen = await versionAt(url, overrideFor(worker, version)).catch((error: Error) => error);
    if (!(seen instanceof Error) && (version === null || seen === version)) return;
    if (Date.now() > until) {
      const instead = seen instanceof Error ? reasonOf(seen) : `version ${seen ?? "unknown"} answers`;
      throw new Error(`${url} doesn't serve ${version ?? "anything"}: ${instead}`);
    }
    await wait(POLL_MS);
  }
}

/** Returns whether all of one visitor's requests reach the same version. */
export async function keepsOneVersion(url: string): Promise<boolean> {
  const seen = new Set<string | null>();
  for (let count = 0; count < AFFINITY_REQUESTS && seen.size < 2; count++) seen.add(await versionAt(url, {}));
  return seen.size === 1;
}

async function versionAt(url: string, headers: Record<string, string>): Promise<string | null> {
  const response = await fetch(new URL(CHEAP_PATH, url), { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.arrayBuffer();
  return response.headers.get(VERSION_HEADER);
}

/** https://developers.cloudflare.com/workers/configuration/versions-and-deployments/version-overrides/ */
function overrideFor(worker: string, version: string | null): Record<string, string> {
  return version === null ? {} : { [OVERRIDE_HEADER]: `${worker}="${version}"` };
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";");
  const at = pair.indexOf("=");
  const name = pair.slice(0, at).trim();
  const isEnded = attributes.some((attribute) => /^\s*max-age=0\s*$/i.test(attribute));
  if (isEnded) cookies.delete(name);
  else cookies.set(name, pair.slice(at + 1).trim());
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
