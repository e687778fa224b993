import { isUnavailable } from "#app/db/bounded-database.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { within } from "#app/http/within.ts";
import { favoritesOf, selectFavorites } from "#app/orders/catalog/favorites.server.ts";
import {
  type ChosenOffer,
  chosenOffer,
  findOffers,
  readOffer,
  selectFirstOffer,
} from "#app/orders/catalog/offers.server.ts";
import {
  type OrderDetail,
  type OrderRow,
  orderRowsOf,
  readOrderDetail,
  readOrderRows,
  selectNewestOrders,
} from "#app/orders/list/order-rows.server.ts";
import { HOUR_MS } from "#app/time.ts";
import { readCarriedCode } from "./codes/carried-code.server.ts";
import type { OrderResult } from "./order-result.ts";
import { newFormKey } from "./place-order-form.server.ts";
import { orderValuesIn } from "./planned-order.server.ts";

/** How long the answer about an order waits for the service that its form shows. */
const OFFER_WITHIN_MS = 2000;
/** How long after an order its form says that it was placed. Later, the URL comes from the history or a bookmark. */
const JUST_PLACED_MS = HOUR_MS;

/**
 * Returns the initial data of the order form and the newest orders. `searchParams` may name a service, an order to repeat or
 * one just placed. No call waits for another.
 */
export async function readOrderForm(
  { db, env }: { db: Db; env: Pick<Env, "ENCRYPTION_KEYS"> },
  userId: string,
  searchParams: URLSearchParams,
  newest: number,
) {
  const find = searchParams.get("find")?.trim() ?? "";
  const repeatedId = parseId(searchParams.get("repeat"));
  const placedId = parseId(searchParams.get("placed"));
  const planned = orderValuesIn(searchParams);
  const wanted = { serviceId: parseId(planned.service), repeatedId };
  const [repeated, found, carried, [placed], [selected, offers, orders]] = await Promise.all([
    repeatedId === null ? null : readOrderDetail(db, userId, repeatedId),
    find === "" ? null : findOffers(db, find),
    readCarriedCode({ db, env }, userId, searchParams),
    placedId === null ? [] : readOrderRows(db, userId, [placedId]),
    db.batch([
      selectFavorites(db, userId),
      selectFirstOffer(db, userId, wanted),
      selectNewestOrders(db, userId, newest),
    ]),
  ]);
  const requested: Record<string, string> = repeated
    ? valuesToRepeat(repeated)
    : { ...planned, ...(carried && { code: carried.written }) };
  const { favorites, notices } = favoritesOf(selected);
  const idempotencyKey = newFormKey();
  const form = {
    draftOwner: userId,
    /** The id of the customer's tier, null without one. */
    tier: offers[0]?.tier?.id ?? null,
    idempotencyKey,
    requested,
    /** Effect of the code that came along, so the form needn't ask for it. */
    carriedCode: carried?.terms ?? null,
    first: chosenOffer(offers),
    favorites,
    notices,
    find,
    found,
    placed: placed && placed.createdAt > Date.now() - JUST_PLACED_MS ? resultOf(placed, idempotencyKey) : null,
  };
  return { form, orders: orderRowsOf(orders) };
}

/**
 * Returns the service that a form was sent for: without scripts, it would show another one with what was typed for this.
 * Returns null if it is not on sale, or if the database doesn't answer soon: what became of the order is said all the same.
 */
export async function readSentOffer(db: Db, userId: string, form: FormData): Promise<ChosenOffer | null> {
  db.renewWait?.();
  try {
    return await within(OFFER_WITHIN_MS, readOffer(db, parseId(form.get("service")), userId));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    return null;
  }
}

/** Returns the result that the form shows of an order that was placed on another page. */
function resultOf({ id, serviceId, charge }: OrderRow, nextKey: string): OrderResult {
  return { ok: true, orderId: id, serviceId, charge, replayed: false, nextKey };
}

/** Returns the fields of an order to repeat. `again` lets the form place a second order with the same content. */
function valuesToRepeat(order: OrderDetail): Record<string, string> {
  return { ...order.fields, again: String(order.id), service: String(order.serviceId) };
}
