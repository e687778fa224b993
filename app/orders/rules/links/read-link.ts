import { ownValue } from "#app/own-value.ts";
import { trimLink } from "./link-text.ts";
import {
  HOST_FOLDERS,
  type LinkTarget,
  NETWORKS,
  type Network,
  SHORT_HOSTS,
  TRACKING,
  type UrlForms,
} from "./url-forms.ts";

/** A link as its URL alone tells. */
export type ReadLink =
  | {
      /** `web` is any site that is none of the networks. */
      network: Network | "web";
      target: LinkTarget;
      /** The link in its usual form, or as it was given where its parts are not all known. */
      link: string;
      /** The same for all forms of one target's link. */
      key: string;
    }
  /** A short link, a redirect, or a page whose form isn't known. */
  | { network: null; target: "unknown"; link: string; key: string };

/** Longer text is read as an unknown link. */
const MAX_CHARACTERS = 2000;
const SITE_SHORT_HOST_CHARACTERS = 8;

type Token = {
  fits: RegExp | "user" | "name";
  /** `id`: identifies the target. `owner`: identifies it together with an id. `user`: does so where there is no id. */
  is?: "id" | "owner" | "user";
  /** Finds the part that identifies the target, where the rest may be written in another way. */
  part?: RegExp;
};

const CODE = /^[\w-]{1,200}$/;
const PART = /^[^/?#]{1,300}$/;
const WORD = /^[a-z_-]{1,40}$/i;
const NUMBER = /^\d{1,30}$/;

/** What stands in braces in a form. */
const TOKENS: Record<string, Token> = {
  user: { fits: "user", is: "user" },
  sub: { fits: "user" },
  in: { fits: "name", is: "owner" },
  name: { fits: PART, is: "owner" },
  legacy: { fits: "name", is: "owner" },
  code: { fits: CODE, is: "id" },
  id: { fits: NUMBER, is: "id" },
  v: { fits: /^[\w-]{11}$/, is: "id" },
  cut: { fits: /^[\w-]{0,10}$/ },
  uc: { fits: /^UC[\w-]{22}$/, is: "id" },
  post: { fits: CODE, is: "id" },
  set: { fits: PART, is: "id" },
  pin: { fits: CODE, is: "id", part: /--(\d{1,30})$/ },
  titled: { fits: PART, is: "id", part: /-(\d{5,30})$/ },
  urn: { fits: PART, is: "id", part: /(?::|%3A)(\d{5,30})$/i },
  posted: { fits: PART, is: "owner", part: /-(?:activity|share|ugcPost)-(\d{5,30})-/i },
  comment: { fits: PART, is: "id" },
  phone: { fits: /^\+\d{7,15}$/ },
  invite: { fits: /^\+[\w-]{5,60}$/, is: "id" },
  wall: { fits: /^wall-?\d{1,20}_\d{1,20}$/, is: "id" },
  photo: { fits: /^photo-?\d{1,20}_\d{1,20}$/, is: "id" },
  video: { fits: /^video-?\d{1,20}_\d{1,20}$/, is: "id", part: /^video(.+)/ },
  clip: { fits: /^clip-?\d{1,20}_\d{1,20}$/, is: "id", part: /^clip(.+)/ },
  overlay: { fits: /^(?:video|clip)-?\d{1,20}_\d{1,20}(?:\/|$)/, is: "id", part: /^[a-z]+([^/]+)/ },
  oid: { fits: /^-?\d{1,20}$/ },
  story: { fits: /^story-?\d{1,20}_\d{1,20}$/, is: "id" },
  club: { fits: /^(club|public|event)\d{1,20}$/, is: "id", part: /^[a-z]+(\d+)/ },
  shelf: { fits: /^(?:album-?\d{1,20}_\d{1,20}|(?:albums|photos|tag|audios|videos|clips|gifts)-?\d{1,20})$/ },
  at: { fits: /^@[\w.]{2,60}$/, is: "user" },
  html: { fits: /^\d{1,30}\.html$/, is: "id", part: /^(\d+)/ },
  section: { fits: PART, is: "owner" },
  owner: { fits: CODE },
  part: { fits: PART },
  slug: { fits: PART },
  secret: { fits: PART },
  topic: { fits: NUMBER },
  number: { fits: NUMBER },
  tab: { fits: WORD },
  page: { fits: WORD },
};

type Form = {
  target: LinkTarget;
  segments: string[];
  /** The path may go on after the segments. */
  isOpen: boolean;
  params: [name: string, pattern: string][];
  usual: string | null;
  /** The page of a reserved word, which a parameter may give a meaning. */
  isWordAlone: boolean;
};
type Rules = UrlForms & {
  network: Network;
  compiled: Form[];
  reserved: Set<string>;
  dropped: Set<string>;
  prefixes: string[];
  leading: string[];
  commenting: string[];
};

const byHost = new Map<string, Rules>();
for (const [network, forms] of Object.entries(NETWORKS)) {
  const [pages, elsewhere] = [wordsOf(forms.pages), wordsOf(forms.elsewhere)];
  const names = `${TRACKING} ${forms.drops ?? ""}`.trim().split(" ");
  const rules: Rules = {
    ...forms,
    network: network as Network,
    compiled: [
      ...[...forms.forms, ...elsewhere.map((page) => `other ${page}/*`)].map(compile),
      ...pages.filter((page) => page !== "*").map((page) => ({ ...compile(`other ${page}`), isWordAlone: true })),
    ],
    reserved: new Set([...pages, ...elsewhere]),
    dropped: new Set(names),
    prefixes: names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1)),
    leading: wordsOf(forms.leads),
    commenting: wordsOf(forms.comments),
  };
  for (const host of forms.hosts.split(" ")) byHost.set(host, rules);
}

function wordsOf(list = ""): string[] {
  return list.split(" ").filter(Boolean);
}

function compile(form: string): Form {
  const [target = "", rest = ""] = split(form, " ");
  const [pattern = "", usual] = rest.split(" > ");
  const [path = "", query = ""] = split(pattern, "?");
  const segments = path.split("/").filter((segment) => segment !== "" && segment !== "*");
  const params = query
    .split("&")
    .filter(Boolean)
    .map((param) => split(param, "=") as [string, string]);
  return {
    target: target as LinkTarget,
    segments,
    isOpen: path.endsWith("*"),
    params,
    usual: usual ?? null,
    isWordAlone: path === "",
  };
}

/** Recognizes a link by its URL. Makes no request, and never throws. */
export function readLink(given: string): ReadLink {
  const text = trimLink(given);
  const url = text.length <= MAX_CHARACTERS ? parseUrl(text) : null;
  if (!url) return unknown(text);
  const host = url.hostname.replace(/\.$/, "").replace(/^www\./, "");
  const rules = SHORT_HOSTS.has(host) ? undefined : rulesOf(host);
  if (!rules) return siteOf(url, host, text);
  const folder = ownValue(HOST_FOLDERS, host);
  const path = url.pathname
    .split("/")
    .filter(Boolean)
    .map((part) => part.replace(/^%40/i, "@").replace(/^%2B/i, "+"));
  // Spotify puts the language first.
  if (rules.network === "spotify" && /^intl-[a-z]{2}(-[a-z]{2})?$/i.test(path[0] ?? "")) path.shift();
  const isInside = folder === undefined || path[0] === folder || hasPage(rules, path[0]);
  const segments = isInside ? path : [folder, ...path];
  for (const form of rules.compiled) {
    const found = match(rules, form, segments, url);
    if (found) return found === "unsure" ? unknown(text) : readAs(rules, form, found, url, text);
  }
  return unknown(text);
}

/** Returns the link that "@name" means on a network, or null if it means none there. */
export function linkOfName(network: Network, text: string): string | null {
  const { at, home, user } = NETWORKS[network];
  const name = trimLink(text);
  if (!at || !name.startsWith("@")) return null;
  const plain = user.test(name) ? name : name.slice(1);
  return user.test(plain) ? home + at.replace("{user}", plain) : null;
}

type Found = Map<string, string>;

function isWord(pattern: string, value: string): boolean {
  return pattern.replace("!", "").split("|").includes(value);
}

/** Returns whether the network names a target on that page by a parameter: youtu.be/watch?v= is youtube.com/watch?v=. */
function hasPage({ compiled }: Rules, name: string | undefined): boolean {
  return compiled.some(
    ({ segments, params }) => segments.length === 1 && params.length > 0 && isWord(segments[0] ?? "", name ?? ""),
  );
}

function match(rules: Rules, form: Form, path: string[], { searchParams: query, hash }: URL): Found | "unsure" | null {
  if (form.isOpen ? path.length < form.segments.length : path.length !== form.segments.length) return null;
  const found: Found = new Map();
  const asks = (pattern: string, value: string | null, isFirst: boolean): boolean => {
    if (value === null) return false;
    const name = /^\{(\w+)\}$/.exec(pattern)?.[1];
    if (!name) {
      if (pattern.startsWith("!")) found.set(pattern, pattern.slice(1).split("|")[0] ?? "");
      return isWord(pattern, value.toLowerCase());
    }
    const fitting = fittingValue(rules, ownValue(TOKENS, name) as Token, value, isFirst);
    if (fitting !== null) found.set(name, fitting);
    return fitting !== null;
  };
  const fits =
    form.segments.every((pattern, at) => asks(pattern, path[at] ?? null, at === 0)) &&
    form.params.every(([name, pattern]) => asks(pattern, query.get(name), false));
  if (!fits) return null;
  if (rules.leading.some((name) => query.has(name) && !form.params.some(([used]) => used === name))) return "unsure";
  // A home page with an unknown parameter may lead anywhere, and a page with a path in its fragment too.
  const isOpenEnded = form.isWordAlone && !isDroppable(rules, form, query);
  return form.target === "other" && (isOpenEnded || /^#!?\//.test(hash)) ? "unsure" : found;
}

function fittingValue({ user, reserved }: Rules, { fits }: Token, value: string, isFirst: boolean): string | null {
  if (fits instanceof RegExp) return fits.test(value) ? value : null;
  if (isFirst && (reserved.has("*") || reserved.has(value.toLowerCase()))) return null;
  if (fits === "name") return /^@?[\w.:-]{1,250}$/.test(value) ? value : null;
  if (user.test(value)) return value;
  const bare = value.startsWith("@") ? value.slice(1) : "";
  return user.test(bare) && !reserved.has(bare.toLowerCase()) ? bare : null;
}

function readAs(rules: Rules, form: Form, found: Found, url: URL, text: string): ReadLink {
  const { network } = rules;
  const usual = form.usual && rules.home + form.usual.replace(/\{(\w+)\}/g, (_, name) => found.get(name) ?? "");
  const link = usual && isDroppable(rules, form, url.searchParams) ? usual : text;
  const parts = [...found].map(([name, value]) => {
    const { is, part } = name.startsWith("!") ? { is: "owner" } : (ownValue(TOKENS, name) ?? {});
    return { is, value: part?.exec(value)?.[1] ?? value };
  });
  const comments = rules.commenting.map((name) => url.searchParams.get(name)).filter((one) => one !== null);
  const isUser = !parts.some(({ is }) => is === "id");
  const named = parts.flatMap(({ is, value }) => {
    if (is === "id") return [value];
    const name = value.toLowerCase();
    if (is === "user") return isUser ? [`@${name.replace(/^@/, "")}`] : [];
    return is === "owner" ? [name] : [];
  });
  if (named.length === 0) {
    const key = usual && usual !== text ? readLink(usual).key : withoutFragment(text);
    return { network, target: form.target, link, key };
  }
  const isComment = comments.length > 0 && !isUser && form.target !== "other";
  const key = [network, ...named, ...(isComment ? comments : [])].join(" ");
  return { network, target: isComment ? "comment" : form.target, link, key };
}

function isDroppable({ dropped, prefixes }: Rules, form: Form, query: URLSearchParams): boolean {
  const used = form.params.map(([name]) => name);
  return [...query.keys()].every(
    (name) => dropped.has(name) || used.includes(name) || prefixes.some((prefix) => name.startsWith(prefix)),
  );
}

/** Subdomains for phones, countries and languages. */
const SAME_SITE = /^(www|m|mobile|mbasic|touch|web|wap|[a-z]{2}(-[a-z]{2})?)\.(?=[^.]+\.)/;
const BRANDS = /^(?:maps\.)?(google|pinterest|youtube)\.(?:com?\.)?[a-z]{2,3}$/;

function rulesOf(host: string): Rules | undefined {
  const bare = host.replace(SAME_SITE, "");
  const brand = BRANDS.exec(bare)?.[1];
  return byHost.get(host) ?? byHost.get(bare) ?? (brand ? byHost.get(`${brand}.com`) : undefined);
}

/** A link of no network we know: a site, unless it looks like a short link or belongs to a network's other pages. */
function siteOf(url: URL, host: string, text: string): ReadLink {
  const path = url.pathname.split("/").filter(Boolean);
  const isShort = host.length <= SITE_SHORT_HOST_CHARACTERS && path.length === 1 && /^[\w-]{3,14}$/.test(path[0] ?? "");
  const domain = host.split(".").slice(-2).join(".");
  const isOfNetwork = byHost.has(domain) && domain !== "google.com";
  if (SHORT_HOSTS.has(host) || SHORT_HOSTS.has(domain) || isShort || isOfNetwork) return unknown(text);
  const key = `${host}${url.pathname.replace(/\/$/, "")}${url.search}`;
  return { network: "web", target: "site", link: text, key };
}

function parseUrl(text: string): URL | null {
  const written = /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text.replace(/^\/\//, "")}`;
  if (!URL.canParse(written)) return null;
  const url = new URL(written);
  return /^https?:$/.test(url.protocol) && url.hostname.includes(".") ? url : null;
}

function unknown(text: string): ReadLink {
  return { network: null, target: "unknown", link: text, key: withoutFragment(text) };
}

/** Returns the text without its fragment, and as the URL that an order of it keeps: "bit.ly/a" is https://bit.ly/a. */
function withoutFragment(text: string): string {
  const url = text.length <= MAX_CHARACTERS ? parseUrl(text) : null;
  if (!url) return split(text, "#")[0] ?? text;
  url.hash = "";
  return url.href;
}

/** Splits at the first occurrence only. */
function split(text: string, at: string): string[] {
  const index = text.indexOf(at);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + at.length)];
}
