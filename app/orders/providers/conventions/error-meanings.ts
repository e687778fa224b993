import { DAY_MS, HOUR_MS } from "#app/time.ts";

/**
 * Why a provider takes no order at the moment. `key` and `funds`: it refuses every order until its settings or our balance
 * there are corrected. `service`: it takes no order of this service. `active_order`: an order for this link is running.
 * `link`: it has enough of this link for now. `busy`: it has to be asked again later.
 */
export const DEFERRAL_CAUSES = ["key", "funds", "service", "active_order", "link", "busy"] as const;
export type DeferralCause = (typeof DEFERRAL_CAUSES)[number];

/** Subjects of an error, in the order in which the rules decide: us, the order, another order for its link, now. */
export type Subject = "us" | "order" | "link" | "now";

type MeaningRule = {
  about: Subject;
  /** States the meaning to staff. */
  says: string;
  /** Tells staff what happens next. */
  next: string;
} & (
  | {
      outcome: "rejected";
      /** It holds whenever the order is sent, so an earlier attempt was refused too. */
      isLasting: boolean;
    }
  | { outcome: "deferred"; cause: DeferralCause; attempts: number; maxAgeMs: number }
);

const PAUSE = "The provider is paused, its orders stay queued, and staff get one alert.";
const CANCEL = "The order is canceled and refunded.";
/** An order that waits for settings or funds uses up no attempt: none is made while its provider is paused. */
const PAUSED = { attempts: 1000, maxAgeMs: 3 * DAY_MS };

/**
 * Everything that an error of a provider can mean. An order that was deferred `attempts` times, or for `maxAgeMs`, is held
 * with `says` as the reason. What holds up every order of a provider is given long enough to pass by itself: otherwise staff
 * would have to send hundreds one by one. The order of the entries is that of the documentation.
 */
export const MEANINGS = {
  key: {
    about: "us",
    says: "Our API key is wrong or missing",
    outcome: "deferred",
    cause: "key",
    ...PAUSED,
    next: PAUSE,
  },
  account: {
    about: "us",
    says: "Our account is suspended, banned or not active",
    outcome: "deferred",
    cause: "key",
    ...PAUSED,
    next: PAUSE,
  },
  address: {
    about: "us",
    says: "Our IP address is not allowed",
    outcome: "deferred",
    cause: "key",
    ...PAUSED,
    next: PAUSE,
  },
  api_off: {
    about: "us",
    says: "The API is off for our account",
    outcome: "deferred",
    cause: "key",
    ...PAUSED,
    next: PAUSE,
  },
  funds: {
    about: "us",
    says: "Our balance at the provider is not enough",
    outcome: "deferred",
    cause: "funds",
    ...PAUSED,
    next: PAUSE,
  },
  target: {
    about: "order",
    says: "The link is wrong, private or not supported",
    outcome: "rejected",
    isLasting: true,
    next: CANCEL,
  },
  quantity: {
    about: "order",
    says: "The quantity is outside of the service's limits",
    outcome: "rejected",
    isLasting: true,
    next: CANCEL,
  },
  details: {
    about: "order",
    says: "Comments, runs or another field of the order are wrong",
    outcome: "rejected",
    isLasting: true,
    next: CANCEL,
  },
  service: {
    about: "order",
    says: "The service does not exist or is off",
    outcome: "rejected",
    isLasting: false,
    next: CANCEL,
  },
  active_order: {
    about: "link",
    says: "An order for this link is running",
    outcome: "deferred",
    cause: "active_order",
    attempts: 24,
    maxAgeMs: DAY_MS,
    next: "The order is sent again later; other orders go on.",
  },
  link_limit: {
    about: "link",
    says: "The provider takes no more for this link at the moment",
    outcome: "deferred",
    cause: "link",
    attempts: 24,
    maxAgeMs: DAY_MS,
    next: "The order is sent again later; other orders go on.",
  },
  service_paused: {
    about: "now",
    says: "The service is paused",
    outcome: "deferred",
    cause: "service",
    attempts: 12,
    maxAgeMs: 6 * HOUR_MS,
    next: "The order is sent again later; orders of other services go on.",
  },
  maintenance: {
    about: "now",
    says: "The provider is under maintenance or takes no orders",
    outcome: "deferred",
    cause: "busy",
    attempts: 1000,
    maxAgeMs: 3 * DAY_MS,
    next: "All orders to the provider wait a moment, and the order is sent again.",
  },
  rate_limit: {
    about: "now",
    says: "We ask the provider too often",
    outcome: "deferred",
    cause: "busy",
    attempts: 1000,
    maxAgeMs: DAY_MS,
    next: "All orders to the provider wait a moment, and the order is sent again.",
  },
  busy: {
    about: "now",
    says: "The provider is busy",
    outcome: "deferred",
    cause: "busy",
    attempts: 24,
    maxAgeMs: DAY_MS,
    next: "All orders to the provider wait a moment, and the order is sent again.",
  },
} as const satisfies Record<string, MeaningRule>;

/** What an error means. Staff can teach a provider's text as any of these. */
export type Meaning = keyof typeof MEANINGS;

export const MEANING_NAMES = Object.keys(MEANINGS) as Meaning[];

export function meaningRule(meaning: Meaning): MeaningRule {
  return MEANINGS[meaning];
}

const STAYS = "stays as it is, is asked about again, and is held for you if the answer stays so.";

/** Tells staff what follows from a meaning where an error was the answer to this call. An error in place of a state ends nothing. */
export function whatFollows(meaning: Meaning, call: "add" | "status" | "refill_status"): string {
  const rule = meaningRule(meaning);
  if (call === "add") return rule.next;
  const isForAll = rule.outcome === "deferred" && ["key", "funds", "busy"].includes(rule.cause);
  const one = call === "status" ? "order" : "refill";
  return isForAll
    ? `If it answers a whole call, the provider is asked again later. Said of one ${one}, it ${STAYS}`
    : `The ${one} ${STAYS}`;
}
