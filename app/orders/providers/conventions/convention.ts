import type { OrderStatus, OrderType, RefillStatus } from "#app/db/schema.server.ts";
import type { Meaning } from "./error-meanings.ts";

/** The calls that we make. */
export const PROVIDER_CALLS = ["services", "balance", "add", "status", "refill", "refill_status", "cancel"] as const;
export type ProviderCall = (typeof PROVIDER_CALLS)[number];

/** How a call is written: its name, and the parameters for one id and for several. */
export type CallSpelling = { action: string; one?: string; many?: string };

/** Names in a catalog. Of several names, the most telling one is first. */
export type CatalogNames = {
  /** Members under which the list stands. */
  wrapper: readonly string[];
  /** Members under which a category has its services. */
  group: readonly string[];
  service: Record<ServiceMember, readonly string[]>;
  /** Words for types of services. */
  types: Readonly<Record<string, OrderType>>;
  /** Members beside the list that hold none of its services, as they hold its pages or its errors. */
  beside: readonly string[];
  paging: PagingNames;
};

/** How a catalog tells its pages, and is asked for one. */
export type PagingNames = {
  /** Services on all pages. */
  total: readonly string[];
  pages: readonly string[];
  page: readonly string[];
  /** Services on a page. */
  size: readonly string[];
  offset: readonly string[];
  /** Flags that say whether there is another page. */
  more: readonly string[];
  /** The next page as a number or as its URL. */
  next: readonly string[];
  nextOffset: readonly string[];
  nextCursor: readonly string[];
  /** Members that these stand in, beside the response itself. */
  places: readonly string[];
  /** Parameters of a call. `size`: the panel takes one of them. `others`: also sent if the next page's URL has them. */
  parameters: { page: string; offset: string; cursor: string; size: readonly string[]; others: readonly string[] };
};

/** Members of a service. `price`: its unit isn't told by its name. */
export type ServiceMember =
  | "id"
  | "name"
  | "category"
  | "type"
  | "rate"
  | "price"
  | "min"
  | "max"
  | "dripfeed"
  | "refill"
  | "cancel";

/**
 * What a family of panels has in common, as data. Another family is another file with such a value: what reads answers
 * knows no word of any family. Words and names of members are written in lower case without blanks, hyphens and underscores,
 * as `wordKey` returns them.
 */
export type Convention = {
  name: string;
  parameters: { key: string; action: string };
  calls: Record<ProviderCall, CallSpelling>;
  /** Parameters of an order, by the names that most panels give them. One that isn't listed has that name. */
  fields: Readonly<Record<string, string>>;
  catalog: CatalogNames;
  /** Words for states of orders. Those of `marks` count only beside other members of an order. */
  states: Readonly<Record<string, OrderStatus>>;
  refillStates: Readonly<Record<string, RefillStatus>>;
  /** Error texts of this family that the rules for texts don't know, as `textKey` returns them. */
  errors: Readonly<Record<string, Meaning>>;
  members: {
    /** Ids of orders, the most telling name first. */
    order: readonly string[];
    /** An id whose owner the name doesn't tell. */
    id: readonly string[];
    refill: readonly string[];
    cancel: readonly string[];
    status: readonly string[];
    /** The state of a refill where `status` may be the call's. */
    refillStatus?: readonly string[];
    remains: readonly string[];
    startCount: readonly string[];
    charge: readonly string[];
    currency: readonly string[];
    /** The orders that a subscription or drip-feed made. */
    subOrders: readonly string[];
    /** Posts of a subscription or runs of a drip-feed. */
    parts: readonly string[];
    balance: readonly string[];
    /** The number in a balance that is an object. */
    amount?: readonly string[];
    /** Texts that are errors wherever they stand. */
    error: readonly string[];
    /** Texts that may be errors. */
    message: readonly string[];
    /** Explains a failure where the answer would stand, as a text or in an object. */
    explanation?: readonly string[];
    /** Names the field that an error is about. */
    field?: readonly string[];
    /** Says by a flag, a code or a word whether the call succeeded. A state of an order may stand there instead. */
    success: readonly string[];
    /** Says in which object or list the answer itself stands. */
    wrapper: readonly string[];
  };
  /**
   * Words of `success` members. Those of `alsoStates` are states where states are told, the others of the call. Those of
   * `besideNumbers` are the order's status when its numbers come with them, even if all are 0.
   */
  marks: {
    success: readonly string[];
    failure: readonly string[];
    alsoStates: readonly string[];
    besideNumbers?: readonly string[];
  };
};
