import type { Db } from "#app/db/db.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { favoritesOf, selectFavorites } from "#app/orders/catalog/favorites.server.ts";
import { chosenOffer, findOffers, selectFirstOffer } from "#app/orders/catalog/offers.server.ts";
import {
  type OrderDetail,
  type OrderRow,
  orderRowsOf,
  readOrderDetail,
  readOrderRows,
  selectNewestOrders,
} from "#app/orders/list/order-rows.server.ts";
import { readCarriedCode } from "./codes/carried-code.server.ts";
import type { OrderResult } from "./order-result.ts";
import { newFormKey } from "./place-order-form.server.ts";
import { orderValuesIn } from "./planned-order.server.ts";

/** How long after an order its form says that it was placed. Later, the URL comes from the history or a bookmark. */
const JUST_PLACED_MS = 60 * 60 * 1000;

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

/** Returns the result that the form shows of an order that was placed on another page. */
function resultOf({ id, serviceId, charge }: OrderRow, nextKey: string): OrderResult {
  return { ok: true, orderId: id, serviceId, charge, replayed: false, nextKey };
}

/** Returns the fields of an order to repeat. `again` lets the form place a second order with the same content. */
function valuesToRepeat(order: OrderDetail): Record<string, string> {
  return { ...order.fields, again: String(order.id), service: String(order.serviceId) };
}
