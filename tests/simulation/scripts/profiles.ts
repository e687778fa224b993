import { HOUR, MINUTE } from "./simulated-durations.ts";

/** How a world is: how long, how busy, and how often things fail. Counts are for the whole run. */
export type Profile = {
  durationMs: number;
  providers: number;
  customers: number;
  /** Customers who begin without money. Seven are enough to reach the limit of code attempts of one address. */
  poorCustomers: number;
  /** Orders of services whose prices change. */
  shopOrders: number;
  orders: number;
  /** So many customers have mailboxes at Google. */
  mailboxes: number;
  visitors: number;
  agents: number;
  messages: number;
  /** By card, and as many by code. */
  topUps: number;
  kills: number;
  databaseFaults: number;
  modesPerProvider: number;
  /** Each provider spells its answers in another way. */
  hasDialects?: true;
  /** Finished orders of other customers, which are there before the world begins. */
  oldOrders?: number;
};

export const PROFILES = {
  tiny: {
    durationMs: 90 * MINUTE,
    providers: 2,
    customers: 3,
    poorCustomers: 1,
    shopOrders: 9,
    orders: 30,
    mailboxes: 2,
    visitors: 2,
    agents: 1,
    messages: 20,
    topUps: 10,
    kills: 0,
    databaseFaults: 0,
    modesPerProvider: 0,
  },
  short: {
    durationMs: 6 * HOUR,
    providers: 4,
    customers: 5,
    poorCustomers: 2,
    shopOrders: 45,
    orders: 400,
    mailboxes: 3,
    visitors: 5,
    agents: 2,
    messages: 200,
    topUps: 40,
    kills: 2,
    databaseFaults: 2,
    modesPerProvider: 2,
  },
  /** One world of the nightly run. */
  day: {
    durationMs: 24 * HOUR,
    providers: 4,
    customers: 12,
    poorCustomers: 7,
    shopOrders: 90,
    orders: 600,
    mailboxes: 4,
    visitors: 8,
    agents: 2,
    messages: 300,
    topUps: 100,
    kills: 4,
    databaseFaults: 6,
    modesPerProvider: 12,
  },
  /** Days in which little happens but what takes days. */
  quiet: {
    durationMs: 8 * 24 * HOUR,
    providers: 1,
    customers: 3,
    poorCustomers: 0,
    shopOrders: 0,
    orders: 40,
    mailboxes: 1,
    visitors: 1,
    agents: 1,
    messages: 5,
    topUps: 2,
    kills: 0,
    databaseFaults: 0,
    modesPerProvider: 0,
  },
  week: {
    durationMs: 7 * 24 * HOUR,
    providers: 8,
    customers: 20,
    poorCustomers: 7,
    shopOrders: 400,
    orders: 5000,
    mailboxes: 10,
    visitors: 40,
    agents: 4,
    messages: 3000,
    topUps: 800,
    kills: 10,
    databaseFaults: 20,
    modesPerProvider: 12,
  },
  /** A day of many conversations, and of little else. */
  support: {
    durationMs: 24 * HOUR,
    providers: 1,
    customers: 2,
    poorCustomers: 0,
    shopOrders: 0,
    orders: 5,
    mailboxes: 0,
    visitors: 12,
    agents: 3,
    messages: 1500,
    topUps: 0,
    kills: 6,
    databaseFaults: 6,
    modesPerProvider: 0,
  },
  /** A reseller's day with six providers, each with another dialect. */
  dialects: {
    durationMs: 24 * HOUR,
    providers: 6,
    customers: 10,
    poorCustomers: 0,
    shopOrders: 0,
    orders: 1000,
    mailboxes: 0,
    visitors: 0,
    agents: 0,
    messages: 0,
    topUps: 10,
    kills: 0,
    databaseFaults: 0,
    modesPerProvider: 2,
    hasDialects: true,
  },
  /** As busy as a week, on top of a history, for as long as `--minutes` says. */
  soak: {
    durationMs: 28 * 24 * HOUR,
    providers: 8,
    customers: 20,
    poorCustomers: 7,
    shopOrders: 1000,
    orders: 20000,
    mailboxes: 10,
    visitors: 40,
    agents: 4,
    messages: 12000,
    topUps: 3200,
    kills: 4,
    databaseFaults: 80,
    modesPerProvider: 48,
    oldOrders: 1_000_000,
  },
} satisfies Record<string, Profile>;
export type ProfileName = keyof typeof PROFILES;

/** The worlds of the nightly run, and how often each behavior must be drawn in all of them. */
export const NIGHTLY = { profile: "day", seeds: 70, drawnAtLeast: 100 } as const;
