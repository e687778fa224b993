import type { AppLoadContext } from "@remix-run/cloudflare";
import { publicCookieHeader } from "#app/http/cookies.ts";
import { markedTime } from "#app/http/requests/marked-time.ts";
import { readerLocale } from "#app/http/requests/reader-locale.ts";
import { PRICE_LIST_PATH } from "#app/orders/catalog/price-list/price-list-paths.ts";
import { isServicePage } from "#app/public-pages.ts";
import { siteNotice } from "#app/site-settings/site-notice.server.ts";

/**
 * Values that a rendered page has of its own: the CSP's nonce, the marked time of the request and its id. Each has a random
 * part, so that no text that somebody wrote is taken for one. The mark begins with the id, so it comes before it.
 */
type Own = { nonce: string; mark: string; requestId: string };
type Kept = { version: number; until: number; headers: [string, string][]; parts: string[]; own: (keyof Own)[] };

/** How long a page may show old support hours, delivery times and states. Prices are compared with the catalog's version. */
const KEPT_MS = 30_000;
const MAX_PAGES = 100;
const MAX_ADDRESS_CHARS = 300;
/** Kept without asking the database, which may be what is down. */
const PATHS_WITHOUT_PRICES = ["/privacy-policy", "/status"];
/** The pages of services are kept, too. */
export const KEPT_PATHS = ["/", PRICE_LIST_PATH, ...PATHS_WITHOUT_PRICES];
/** Parameters of the price list whose pages are kept. Searches are too many. */
const KEPT_PARAMETERS = ["network", "category", "page"];

/**
 * What newsletters and advertisements add to an address. No kept page reads these, so its address is taken without them.
 * `TRACKING` of order links is another list: it has `lang` and `ref`, which a page of ours may come to read.
 */
const CAMPAIGN =
  /^(utm_[a-z_]+|gclid|gclsrc|gbraid|wbraid|gad_source|gad_campaignid|dclid|_gl|fbclid|msclkid|ttclid|twclid|yclid|li_fat_id|mc_cid|mc_eid)$/;

/**
 * Pages that an isolate has rendered for people without a session. React renders each once per address, language and
 * version of the catalog; another request gets the same text, with its own nonce, id and time in place of the first one's.
 * What is rendered to be kept is a request of nothing but the key's parts, so that no page depends on who asked for it first.
 */
export class PageCache {
  readonly #pages = new Map<string, Kept>();

  /**
   * Returns the page, from the cache or as `render` makes it of the request as a stranger would send it, without a campaign's
   * parameters. Returns null for a request that isn't for such a page, or that could be of somebody in particular.
   */
  async respond(
    request: Request,
    asked: URL,
    context: AppLoadContext,
    render: (request: Request) => Promise<Response>,
  ): Promise<Response | null> {
    if (request.method !== "GET" || request.headers.has("Authorization")) return null;
    const url = withoutCampaign(asked);
    if (!isKept(url)) return null;
    const cookie = publicCookieHeader(request);
    if (cookie === null) return null;
    const locale = readerLocale(request.headers.get("Accept-Language"));
    const stranger = new Request(url, {
      headers: { "Accept-Language": locale, ...(cookie !== "" && { Cookie: cookie }) },
    });
    // Also without asking the database: the isolate knows it.
    const notice = await siteNotice(context, stranger, "visitor");
    const key = [url.origin, locale, url.pathname, url.search, notice].join("\n");
    const known = this.#pages.get(key);
    if (known && known.until > Date.now() && known.version === (await versionOf(context, url)))
      return fill(known, context);
    const response = await render(stranger);
    // A service's new address gets all parameters of the old one.
    if (url !== asked && response.status >= 300 && response.status < 400) return null;
    const isPage = response.status === 200 && response.headers.get("Content-Type")?.startsWith("text/html");
    if (!isPage || response.headers.has("Set-Cookie")) return response;
    const text = await response.text();
    // Most such pages have read it, so that this asks nothing.
    const version = await versionOf(context, url);
    const headers = new Headers(response.headers);
    const cut = cutAt(text, ownOf(context));
    // Without the mark, the page has no data of the root's loader: it failed. Nobody is known here but by a mistake.
    const isForAll = cut.own.includes("mark") && context.db.userId === undefined;
    if (!isForAll || version === null) return new Response(text, { headers });
    if (this.#pages.size >= MAX_PAGES) this.#pages.clear();
    this.#pages.set(key, { version, until: Date.now() + KEPT_MS, headers: [...headers], ...cut });
    return new Response(text, { headers });
  }
}

/** Returns the same object if there is nothing to leave out. Names count as they are written: an encoded one stays. */
function withoutCampaign(asked: URL): URL {
  if (asked.search === "") return asked;
  const parameters = asked.search.slice(1).split("&");
  const read = parameters.filter((one) => one !== "" && !CAMPAIGN.test(one.split("=", 1)[0] ?? ""));
  if (read.length === parameters.length) return asked;
  const url = new URL(asked);
  url.search = read.join("&");
  return url;
}

function isKept({ pathname, search, searchParams }: URL): boolean {
  if (pathname.length + search.length > MAX_ADDRESS_CHARS) return false;
  const parameters = pathname === PRICE_LIST_PATH ? KEPT_PARAMETERS : [];
  if ([...searchParams.keys()].some((name) => !parameters.includes(name))) return false;
  return KEPT_PATHS.includes(pathname) || isServicePage(pathname);
}

/** Returns null if the database doesn't answer: the page itself then says what is wrong. */
async function versionOf({ catalog, replicaDb }: AppLoadContext, { pathname }: URL): Promise<number | null> {
  if (PATHS_WITHOUT_PRICES.includes(pathname)) return 0;
  try {
    return (await catalog.listed(replicaDb)).version;
  } catch {
    return null;
  }
}

function ownOf({ nonce, requestId, startedAt }: AppLoadContext): Own {
  return { nonce, mark: markedTime(requestId, startedAt), requestId };
}

/** Cuts a page where its own values are. */
function cutAt(text: string, values: Own): Pick<Kept, "parts" | "own"> {
  const names = Object.keys(values) as (keyof Own)[];
  const parts: string[] = [];
  const own: (keyof Own)[] = [];
  let from = 0;
  for (;;) {
    const next = names
      .map((name) => ({ name, at: text.indexOf(values[name], from) }))
      .filter(({ at }) => at !== -1)
      .sort((one, other) => one.at - other.at)[0];
    if (!next) break;
    parts.push(text.slice(from, next.at));
    own.push(next.name);
    from = next.at + values[next.name].length;
  }
  return { parts: [...parts, text.slice(from)], own };
}

function fill({ parts, own, headers }: Kept, context: AppLoadContext): Response {
  const values = ownOf(context);
  const text = parts.map((part, at) => part + (own[at] === undefined ? "" : values[own[at]])).join("");
  return new Response(text, { headers });
}
