import type { OrderType } from "#app/db/schema.server.ts";

export type DemoService = {
  network: string;
  category: string;
  name: string;
  description: string;
  type: OrderType;
  /** Currency units per 1,000 pieces, or per order for a package. */
  rate: string;
  min: number;
  max: number;
  dripfeed: boolean;
  refill: boolean;
  cancel: boolean;
};

type Row = [
  name: string,
  rate: string,
  min: number,
  max: number,
  flags: string,
  type?: OrderType,
  description?: string,
];

/** Flags: d = drip-feed, r = refill, c = cancel. */
const CATALOG: Record<string, Record<string, Row[]>> = {
  Instagram: {
    Followers: [
      ["Instagram followers, 30-day refill", "2.40", 50, 100_000, "drc"],
      ["Instagram followers, no refill", "0.90", 50, 200_000, "dc"],
    ],
    Likes: [
      ["Instagram likes", "0.35", 20, 50_000, "dc"],
      ["Instagram likes, gradual over a day", "0.48", 100, 50_000, "drc"],
    ],
    Views: [
      ["Instagram reel views", "0.05", 100, 5_000_000, "d"],
      ["Instagram story views", "0.12", 50, 50_000, ""],
    ],
    Comments: [
      ["Instagram comments, your own text", "8.50", 5, 1_000, "c", "Custom Comments"],
      ["Instagram mentions, list of users", "5.20", 10, 5_000, "", "Mentions Custom List"],
      ["Instagram comment likes", "1.60", 20, 5_000, "", "Comment Likes"],
    ],
  },
  TikTok: {
    Followers: [["TikTok followers, 30-day refill", "3.10", 50, 100_000, "drc"]],
    Likes: [["TikTok likes", "0.62", 20, 100_000, "drc"]],
    Views: [["TikTok views", "0.02", 100, 10_000_000, "d"]],
    Shares: [["TikTok shares", "0.28", 50, 100_000, "d"]],
    Comments: [["TikTok comments, your own text", "9.80", 5, 500, "", "Custom Comments"]],
  },
  YouTube: {
    Subscribers: [["YouTube subscribers, 60-day refill", "18.00", 50, 20_000, "drc"]],
    Views: [
      ["YouTube views, high retention", "2.15", 500, 1_000_000, "drc"],
      ["YouTube views from search", "4.40", 500, 100_000, "c", "SEO", "Views from searches for your keywords."],
    ],
    Likes: [["YouTube likes", "1.20", 20, 50_000, "dr"]],
    "Watch time": [["YouTube watch time, 1,000 hours", "24.00", 1, 1, "", "Package"]],
    Comments: [["YouTube comments, your own text", "14.00", 5, 500, "c", "Custom Comments"]],
  },
  Facebook: {
    Followers: [["Facebook page followers", "2.80", 100, 50_000, "dr"]],
    Likes: [["Facebook post likes", "0.95", 50, 20_000, "dr"]],
    Views: [["Facebook video views", "0.15", 500, 1_000_000, "d"]],
    Members: [["Facebook group members from groups", "4.60", 100, 10_000, "", "Invites from Groups"]],
  },
  X: {
    Followers: [["X followers, 30-day refill", "5.90", 50, 50_000, "drc"]],
    Likes: [["X likes", "1.85", 20, 20_000, "dc"]],
    Reposts: [["X reposts", "2.20", 20, 10_000, "dc"]],
    Polls: [["X poll votes", "1.40", 50, 20_000, "", "Poll", "Votes for the answer you choose by its number."]],
    Mentions: [["X mentions by hashtag", "6.10", 50, 5_000, "", "Mentions Hashtag"]],
  },
  Telegram: {
    Members: [["Telegram channel members", "1.10", 100, 100_000, "rc"]],
    Views: [["Telegram post views", "0.04", 50, 500_000, "d"]],
    Reactions: [["Telegram reactions", "0.18", 20, 50_000, ""]],
  },
  Spotify: {
    Plays: [["Spotify plays", "0.55", 1_000, 1_000_000, "dr"]],
    Followers: [["Spotify followers", "1.90", 50, 50_000, "r"]],
  },
  Twitch: { Followers: [["Twitch followers", "2.60", 50, 20_000, "r"]] },
  LinkedIn: { Followers: [["LinkedIn company followers", "12.50", 50, 5_000, "r"]] },
  Website: {
    Traffic: [["Website visitors by country", "0.70", 500, 1_000_000, "", "Web Traffic"]],
  },
};

export function demoCatalog(): DemoService[] {
  return Object.entries(CATALOG).flatMap(([network, categories]) =>
    Object.entries(categories).flatMap(([category, rows]) =>
      rows.map(([name, rate, min, max, flags, type = "Default", description = ""]) => ({
        network,
        category: `${network} ${category}`,
        name,
        description,
        type,
        rate,
        min,
        max,
        dripfeed: flags.includes("d"),
        refill: flags.includes("r"),
        cancel: flags.includes("c"),
      })),
    ),
  );
}

/** Followers can be delivered by a post's link too, which names its owner, so such links are only asked about. */
export function demoLinkCheck({ name }: DemoService): "strict" | "warn" {
  return /followers/.test(name) ? "warn" : "strict";
}

/** Returns the sandbox provider's rate for a service that we sell at `rate`: about two thirds. */
export function sandboxCost(rate: string): string {
  return (Number(rate) * 0.65).toFixed(4);
}

/**
 * Returns the sandbox provider's catalog. It differs from the seeded one by a higher price and two new services, so that
 * an import has changes to report.
 */
export function sandboxServices(): object[] {
  const known = demoCatalog().map((service, position) => ({
    service: String(position + 1),
    name: service.name,
    category: service.category,
    type: service.type,
    rate: service.name === "Instagram likes" ? "0.3100" : sandboxCost(service.rate),
    min: String(service.min),
    max: String(service.max),
    dripfeed: service.dripfeed,
    refill: service.refill,
    cancel: service.cancel,
  }));
  const terms = { type: "Default", min: "50", max: "20000", dripfeed: true, refill: false, cancel: true };
  return [
    ...known,
    { service: "901", name: "Threads followers", category: "Threads Followers", rate: "1.90", ...terms },
    { service: "902", name: "Threads likes", category: "Threads Likes", rate: "0.44", ...terms },
  ];
}
