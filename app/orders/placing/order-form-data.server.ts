import type { Db } from "#app/db/db.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { listFavorites } from "#app/orders/catalog/favorites.server.ts";
import { findOffers, readOffer } from "#app/orders/catalog/offers.server.ts";
import { type OrderDetail, readOrderDetail } from "#app/orders/list/order-rows.server.ts";
import { newFormKey } from "./place-order-form.server.ts";

/** Fields that a link to the order form may fill in. */
const LINKED_FIELDS = new Set(["service", "quantity", "link"]);

/** Returns the initial data of the order form. `searchParams` may name a service or an order to repeat. */
export async function readOrderForm(db: Db, userId: string, searchParams: URLSearchParams) {
  const find = searchParams.get("find")?.trim() ?? "";
  const repeatedId = parseId(searchParams.get("repeat"));
  const [favorites, repeated, found] = await Promise.all([
    listFavorites(db, userId),
    repeatedId === null ? null : readOrderDetail(db, userId, repeatedId),
    find === "" ? null : findOffers(db, find),
  ]);
  const requested: Record<string, string> = repeated
    ? valuesToRepeat(repeated)
    : Object.fromEntries([...searchParams].filter(([name]) => LINKED_FIELDS.has(name)));
  const wanted = parseId(requested.service) ?? favorites[0]?.id ?? null;
  const first = (await readOffer(db, wanted)) ?? (wanted === null ? null : await readOffer(db, null));
  return { draftOwner: userId, idempotencyKey: newFormKey(), requested, first, favorites, find, found };
}

/** Returns the fields of an order to repeat. `again` lets the form place a second order with the same content. */
function valuesToRepeat(order: OrderDetail): Record<string, string> {
  return { ...order.fields, again: String(order.id), service: String(order.serviceId) };
}
