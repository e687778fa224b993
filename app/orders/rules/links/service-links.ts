import type { LinkCheck, LinkKind, OrderType } from "#app/db/schema.server.ts";
import { seenBefore, trimLink, unseenLinkText } from "./link-text.ts";
import { linkOfName, type ReadLink, readLink } from "./read-link.ts";
import { type LinkTarget, NETWORKS, type Network } from "./url-forms.ts";

export { readLink, seenBefore, trimLink, unseenLinkText };

/** What a service says about the links it takes. */
export type LinkTerms = { network: string; category: string; name: string; linkKind: LinkKind; linkCheck: LinkCheck };
type Named = Pick<LinkTerms, "network" | "category" | "name">;

export type JudgedLink = { verdict: "right" | "unsure" | "wrong"; read: ReadLink };

const NETWORK_LIST = Object.keys(NETWORKS) as Network[];
const TRAFFIC = /\btraffic|\bvisitors|\bwebsite|\bbacklink/i;

/** Returns the network whose links a service takes, `web` for sites, or null if its names don't tell surely. */
export function linkNetworkOf({ network, category, name }: Named): Network | "web" | null {
  const text = `${network}\n${category}\n${name}`.toLowerCase();
  const named = NETWORK_LIST.filter((one) => NETWORKS[one].called.test(text));
  // "TikTok threads" or "YouTube views from Facebook" are two networks.
  if (named.length > 1) return null;
  return named[0] ?? (TRAFFIC.test(text) ? "web" : null);
}

/** Judges a link by what the service takes. Only a link that surely leads elsewhere is wrong. */
export function judgeLink(terms: Omit<LinkTerms, "linkCheck">, link: string): JudgedLink {
  const read = readLink(link);
  return { verdict: verdictOf(terms, read), read };
}

/** Judges a link that was read before. */
export function verdictOf(
  { linkKind, ...service }: Omit<LinkTerms, "linkCheck">,
  read: ReadLink,
): JudgedLink["verdict"] {
  if (read.target === "unknown") return "unsure";
  if (linkKind === "site") return read.target === "site" ? "right" : "wrong";
  const network = linkNetworkOf(service);
  if (network === null || network === "web") return "unsure";
  if (read.network !== network) return "wrong";
  return linkKind === "any" || targetsOf(network, linkKind).includes(read.target) ? "right" : "wrong";
}

/** Returns the profile or channel that "@name" stands for at the service, or null if the text is no name. */
export function linkFromName(service: Named & Pick<LinkTerms, "linkKind">, text: string): string | null {
  const network = linkNetworkOf(service);
  if (network === null || network === "web") return null;
  const takes = targetsOf(network, service.linkKind);
  return takes.includes("profile") || takes.includes("channel") ? linkOfName(network, text) : null;
}

/** Targets that a kind of service takes on each network. */
const TAKES: Record<LinkKind, readonly LinkTarget[]> = {
  any: [],
  profile: ["profile", "channel"],
  channel: ["channel", "profile"],
  group: ["group"],
  post: ["post", "video", "short", "comment", "clip"],
  video: ["video", "short", "post", "comment"],
  short: ["short", "video", "post", "comment"],
  story: ["story", "profile", "channel"],
  live: ["live", "profile", "channel"],
  comment: ["comment", "post", "video", "short"],
  clip: ["clip"],
  event: ["event"],
  track: ["track"],
  album: ["album"],
  playlist: ["playlist"],
  place: ["place"],
  site: ["site"],
};

const TAKES_ON: Partial<Record<Network, Partial<Record<LinkKind, readonly LinkTarget[]>>>> = {
  youtube: {
    post: ["post"],
    video: ["video", "short", "live", "comment"],
    short: ["short", "video", "live", "comment"],
    live: ["live", "video", "channel", "comment"],
    comment: ["comment", "video", "short", "live", "post"],
  },
  facebook: {
    post: ["post", "video", "short", "live", "comment"],
    video: ["video", "short", "post", "live", "comment"],
    live: ["live", "video", "post", "profile"],
  },
  // A public channel and a public group have links of the same form.
  telegram: { channel: ["channel", "group"], group: ["group", "channel"], profile: ["channel", "group"] },
  twitch: { video: ["video"], live: ["channel"], post: ["video", "clip"] },
  kick: { video: ["video"], live: ["channel"] },
  linkedin: { live: ["live", "video", "post", "event", "profile"] },
  vimeo: { live: ["live", "video"] },
  // The name of a community has the form of a person's.
  vk: { group: ["group", "profile"], profile: ["profile", "group"] },
};

function targetsOf(network: Network, kind: LinkKind): readonly LinkTarget[] {
  return TAKES_ON[network]?.[kind] ?? TAKES[kind];
}

const KIND_NAMES: Record<LinkTarget, string> = {
  profile: "a profile",
  channel: "a channel",
  group: "a group",
  post: "a post",
  video: "a video",
  short: "a reel",
  story: "a story",
  live: "a live stream",
  comment: "a comment",
  clip: "a clip",
  event: "an event",
  track: "a track",
  album: "an album",
  playlist: "a playlist",
  place: "a place",
  site: "a website",
  other: "another page",
};

const KIND_NAMES_ON: Partial<Record<Network, Partial<Record<LinkTarget, string>>>> = {
  youtube: { short: "a Short" },
  spotify: { profile: "an artist or profile", channel: "a podcast" },
  facebook: { profile: "a page or profile" },
  linkedin: { profile: "a profile or company page" },
  discord: { group: "a server" },
  reddit: { group: "a community" },
  pinterest: { post: "a pin", playlist: "a board" },
};

/** Returns "a post" or "an artist or profile". */
export function targetName(network: Network | "web" | null, target: LinkTarget): string {
  return (network && network !== "web" && KIND_NAMES_ON[network]?.[target]) || KIND_NAMES[target];
}

/** Returns "a TikTok video" for a link that was read. */
export function readName(read: ReadLink): string {
  if (read.target === "unknown") return "an unknown page";
  if (read.network === "web") return KIND_NAMES.site;
  const { name } = NETWORKS[read.network];
  const target = targetName(read.network, read.target).replace(/^(an?|another) /, "");
  return `${/^[aeioux]/i.test(name) ? "an" : "a"} ${name} ${target}`;
}

/** Returns "a post, like https://www.instagram.com/p/…": what a service takes. */
export function acceptedLink(terms: Named & Pick<LinkTerms, "linkKind">): string {
  const { linkKind } = terms;
  if (linkKind === "site") return "a website, like https://example.com";
  const network = linkNetworkOf(terms);
  if (network === null || network === "web")
    return linkKind === "any" ? "the page to deliver to" : targetName(null, linkKind);
  const { name, home } = NETWORKS[network];
  if (linkKind === "any") return `${name}, like ${home}/…`;
  const [target = linkKind] = targetsOf(network, linkKind);
  return `${targetName(network, target)}, like ${exampleOf(network, target)}`;
}

/** Returns the usual form of a target's link with its ids left out. */
function exampleOf(network: Network, target: LinkTarget): string {
  const { home, forms } = NETWORKS[network];
  const known = forms.filter((one) => one.startsWith(`${target} `));
  const named =
    target === "profile" || target === "story"
      ? known.filter((one) => /\{(user|in)\}/.test(one.split(" > ")[1] ?? ""))
      : [];
  const form = named[0] ?? known.find((one) => one.includes(" > ")) ?? known[0];
  const [, path = "", usual] = /^\S+ (\S*)(?: > (\S+))?$/.exec(form ?? "") ?? [];
  const shown = (usual ?? `/${path.replace("!", "")}`)
    .replace(
      /\{user\}/,
      NETWORKS[network].user.test("@name") && !NETWORKS[network].user.test("name") ? "@name" : "name",
    )
    .replace(/\{(in|name)\}/, "name")
    .replace(/(?:\{\w+\}|\*).*/, "…");
  return home + shown.replace(/\/$/, "");
}

/** Returns what a service takes, from its type and names. */
export function linkKindOf(service: Named & { type: OrderType }): LinkKind {
  const { type } = service;
  const network = linkNetworkOf(service);
  if (type === "Web Traffic" || network === "web") return "site";
  if (network === null) return "any";
  if (network === "google") return "place";
  const kind = kindByType(type, network) ?? kindByName(service.name, network) ?? kindByName(service.category, network);
  return kind && canTake(network, kind) ? kind : "any";
}

function kindByType(type: OrderType, network: Network): LinkKind | null {
  if (type === "Comment Likes" || type === "Comment Replies") return "comment";
  if (type === "Subscriptions") return ownerOf(network);
  if (type === "Invites from Groups") return network === "telegram" ? "channel" : "group";
  if (type === "Custom Comments" || type === "Custom Comments Package") return objectOf(network);
  return null;
}

/** The account on a network. */
function ownerOf(network: Network): LinkKind {
  return ["youtube", "telegram", "twitch", "kick", "whatsapp"].includes(network) ? "channel" : "profile";
}

/** The published thing on a network that people like and comment. */
function objectOf(network: Network): LinkKind {
  if (["youtube", "tiktok", "vimeo", "twitch", "kick", "snapchat"].includes(network)) return "video";
  return network === "spotify" || network === "soundcloud" ? "track" : "post";
}

/** Names of services, the more telling words first. */
function kindByName(given: string, network: Network): LinkKind | null {
  const name = given.toLowerCase();
  const has = (words: RegExp) => words.test(name);
  const hasInOrder = (first: RegExp, then: RegExp) => {
    const at = name.search(first);
    return at >= 0 && then.test(name.slice(at));
  };
  if (has(/\b(story|stories|highlights?)\b/)) return network === "youtube" ? null : "story";
  if (has(/\bcomments? (likes?|dislikes?|upvotes?|replies|reactions?)/)) return "comment";
  if (has(/\bplaylists?\b|\bboards?\b/)) return "playlist";
  if (has(/\balbums?\b/)) return "album";
  if (has(/\b(podcasts?|shows?|combo|package)\b/) && network === "spotify") return null;
  if (has(/\bclips?\b/)) return network === "vk" ? "short" : "clip";
  if (has(/\bevents?\b/)) return "event";
  if (has(/\b(polls?|votes?)\b/)) return "post";
  if (
    hasInOrder(/\b(community|post)\b/, /\b(likes?|reactions?|comments?|shares?|votes?|views?)\b/) &&
    network === "youtube"
  )
    return "post";
  if (
    has(/\b(live|live ?streams?|broadcasts?|spaces?|concurrent|chatters?)\b/) &&
    !has(/\blive (followers|subscribers)/)
  ) {
    if (["spotify", "soundcloud"].includes(network)) return null;
    return network === "twitch" || network === "kick" ? "channel" : network === "telegram" ? null : "live";
  }
  if (hasInOrder(/\b(group|server|community|subreddit)\b/, /\b(members?|joins?|followers|subscribers|boosts?)\b/))
    return "group";
  if (has(/\b(members?|joins?)\b/)) {
    return ["facebook", "discord", "reddit"].includes(network) ? "group" : ownerOf(network);
  }
  if (has(/\bsubscribers?\b/) && network === "reddit") return "group";
  if (
    has(
      /\b(followers?|subscribers?|subs|connections?|friends|fans|page likes?|page ratings?|page reviews?|profile (visits?|views?)|monthly listeners|listeners|channel views?|channel likes)\b/,
    )
  )
    return ownerOf(network);
  if (has(/\bwatch ?(time|hours?)\b/)) return "video";
  if (has(/\breels?\b|\bshorts?\b/))
    return network === "instagram" || network === "youtube" || network === "facebook" ? "short" : objectOf(network);
  if (has(/\b(page|profile|channel)\b/)) return ownerOf(network);
  if (has(/\b(viewers?)\b/)) return network === "twitch" || network === "kick" ? "channel" : "live";
  if (has(/\b(views?|plays?|streams?|video)\b/)) {
    return ["instagram", "facebook"].includes(network) ? "video" : objectOf(network);
  }
  if (has(/\bmentions?\b/)) return network === "instagram" ? "post" : null;
  if (
    has(
      /\b(likes?|comments?|shares?|saves?|reach|impressions?|reactions?|retweets?|reposts?|repins?|pins?|quotes?|bookmarks?|favou?rites?|dislikes?|upvotes?|downvotes?|replies|engagements?|hearts|downloads?|post)\b/,
    )
  )
    return objectOf(network);
  return null;
}

function canTake(network: Network, kind: LinkKind): boolean {
  const targets = targetsOf(network, kind);
  return NETWORKS[network].forms.some((form) => targets.some((target) => form.startsWith(`${target} `)));
}
