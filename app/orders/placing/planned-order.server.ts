import type { Db } from "#app/db/db.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { readOffer } from "#app/orders/catalog/offers.server.ts";
import { type OrderFields, pickOrderFields } from "#app/orders/rules/order-input.ts";
import { ownValue } from "#app/own-value.ts";
import { CARRIED_CODE, type CarriedCode } from "./codes/carried-code.server.ts";
import { quote } from "./quotes/quote.ts";
import { filledOf } from "./quotes/quoted-fields.ts";
import { priceOfQuote } from "./quotes/quoted-price.ts";
import { writeShownPrice } from "./quotes/shown-price.ts";

export const ORDER_FORM_PATH = "/dashboard";
export const TOP_UP_PATH = "/dashboard/top-up";

/** An order that was chosen but not placed, as its URL carries it through sign-up and top-up. */
export type PlannedOrder = {
  service: string;
  link: string;
  /** Micro-units. Null while the quantity gives none, or a field is missing: only the order form can place it then. */
  charge: number | null;
  /** Why the code that came along takes nothing off, or null. */
  codeRefusal: string | null;
  pieces: number | null;
  /** The price that gives the charge, as a form sends it. */
  shownPrice: string;
  /** The fields that place it, `service` among them. */
  values: Record<string, string>;
  /** The same as a query. */
  query: string;
};

const CODE_FAULTS = {
  network: "Your code is for another network.",
  too_small: "Your code is for larger orders.",
  tier_wins: "Your own price is as low as with your code, so the code is kept.",
};

/** Long lists stay in the tab's draft: a longer URL would be refused on the way. */
const MAX_QUERY_CHARACTERS = 900;
/** The parameter that tells that a field stayed in the tab's draft. */
const CUT = "cut";

/**
 * Returns the query that carries an order, or "" if no service is named. `isWhole`: it has all of the order's fields. `sealed`:
 * its percent code.
 */
export function orderQuery(
  service: string | null,
  fields: OrderFields,
  { isWhole = true, sealed = null }: { isWhole?: boolean; sealed?: string | null } = {},
): string {
  const id = parseId(service);
  if (id === null) return "";
  const query = new URLSearchParams({ service: String(id) });
  let isCut = !isWhole;
  for (const [name, value] of Object.entries(fields)) {
    if (value === "") continue;
    query.set(name, value);
    if (query.toString().length <= MAX_QUERY_CHARACTERS) continue;
    query.delete(name);
    isCut = true;
  }
  if (isCut) query.set(CUT, "1");
  if (sealed !== null) query.set(CARRIED_CODE, sealed);
  return query.toString();
}

/** Returns the query of the order that another query names, without anything else that was in it. */
export function orderQueryIn(searchParams: URLSearchParams): string {
  const carried = { isWhole: !searchParams.has(CUT), sealed: searchParams.get(CARRIED_CODE) };
  return orderQuery(searchParams.get("service"), fieldsIn(searchParams), carried);
}

/** Returns the fields of the order that a query names, `service` among them. None if no service is named. */
export function orderValuesIn(searchParams: URLSearchParams): Record<string, string> {
  const {
    [CUT]: _,
    [CARRIED_CODE]: __,
    ...values
  } = Object.fromEntries(new URLSearchParams(orderQueryIn(searchParams)));
  return values;
}

function fieldsIn(searchParams: URLSearchParams): OrderFields {
  return pickOrderFields((name) => searchParams.get(name));
}

/**
 * Returns the order that a query names, by the catalog as it is, and the tier and the code of the customer, if one is signed
 * in, or null if its service is not on sale.
 */
export async function readPlannedOrder(
  db: Db,
  searchParams: URLSearchParams,
  userId: string | null = null,
  code: CarriedCode | null = null,
): Promise<PlannedOrder | null> {
  const query = orderQueryIn(searchParams);
  if (query === "") return null;
  const values = orderValuesIn(searchParams);
  const offer = await readOffer(db, parseId(values.service), userId);
  if (!offer) return null;
  const isListed = offer.countedBy !== null && ownValue(values, offer.countedBy) !== undefined;
  // The calculator of the landing page asks for a quantity even where the form will count the lines of a list.
  const byRate = quote(isListed ? offer : { ...offer, countedBy: null }, filledOf(offer, values));
  const { quoted, codeFault } = priceOfQuote(offer, byRate, code?.terms ?? null);
  // A code that doesn't fit would be refused along with the order.
  const isCodeUsed = code?.terms && (codeFault === null || codeFault === "tier_wins");
  const charge = new URLSearchParams(query).has(CUT) ? null : quoted.charge;
  return {
    service: offer.name,
    link: values.link ?? "",
    charge,
    pieces: charge === null || quoted.charge === null || offer.perOrder ? null : quoted.pieces,
    codeRefusal: code?.refusal ?? (codeFault === null ? null : CODE_FAULTS[codeFault]),
    shownPrice: writeShownPrice(offer),
    values: isCodeUsed ? { ...values, code: code.written } : values,
    query,
  };
}

/** Returns the order that a path leads to, for the log-in and sign-up pages on the way to it. */
export async function readOrderOnTheWay(db: Db, redirectTo: string): Promise<PlannedOrder | null> {
  const { pathname, searchParams } = new URL(redirectTo, "https://same.invalid");
  return [ORDER_FORM_PATH, TOP_UP_PATH].includes(pathname) ? readPlannedOrder(db, searchParams) : null;
}
