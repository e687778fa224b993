import type { AppLoadContext } from "@remix-run/cloudflare";
import type { Db } from "#app/db/db.server.ts";
import type { Order } from "#app/db/schema.server.ts";
import { type ApiFields, type ApiRequest, isIdempotencyKey } from "#app/http/requests/api-request.ts";
import { parseId, parseWrittenId } from "#app/http/requests/id-param.ts";
import type { EncodedJson } from "#app/http/responses/encoded-json.ts";
import type { CatalogCache, TimedService } from "#app/orders/catalog/catalog.server.ts";
import { readChangedServices } from "#app/orders/catalog/service-changes.server.ts";
import { requestCancellations } from "#app/orders/fulfillment/cancellations.server.ts";
import type { CloseEnv } from "#app/orders/fulfillment/close-order.server.ts";
import { readRefills, requestRefill } from "#app/orders/fulfillment/refills.server.ts";
import { placeOrder, readOrders } from "#app/orders/placing/place-order.server.ts";
import { decimal } from "#app/orders/rules/money-text.ts";
import { pickOrderFields } from "#app/orders/rules/order-input.ts";
import { digestOfOrder } from "#app/orders/rules/request-digest.server.ts";
import { readBalance } from "#app/orders/wallet/ledger.server.ts";
import { ownValue } from "#app/own-value.ts";
import { CURRENCY } from "#app/product.ts";
import type { ApiCaller, ApiKeyScope } from "./api-keys.server.ts";
import {
  type ApiError,
  CATALOG_VERSION,
  changesBody,
  ERRORS,
  orderError,
  servicesBody,
  statusBody,
  subOrderStatusBody,
} from "./api-responses.server.ts";
import { oneOrder, oneRefill, severalOrders, severalRefills } from "./api-schema.server.ts";
import { parseOrderExtras } from "./order-notes.server.ts";
import { isPostOf, parseSubOrderId } from "./subscription-posts.ts";
import { type OrderingKey, placeUnsettled } from "./unsettled-orders.server.ts";

/** The actions of the panel convention and the scope that each requires. */
export const PANEL_ACTIONS = {
  services: "read",
  balance: "read",
  status: "read",
  refill_status: "read",
  add: "order",
  refill: "order",
  cancel: "order",
} as const satisfies Record<string, ApiKeyScope>;
export type PanelAction = keyof typeof PANEL_ACTIONS;

type Headers = Record<string, string>;
/** `json` is a body that is already encoded. `placed` is an order that this request created. */
export type ApiResult =
  | { ok: true; body: unknown; headers?: Headers; placed?: Order }
  | { ok: true; json: EncodedJson; headers: Headers; placed?: undefined }
  | ({ ok: false } & ApiError);

/** Other names of `status` for several orders, as TypeScript panels, a Python bot and a reseller's Node proxy send them. */
export const NAMES_OF_SEVERAL_STATUSES = ["orders", "multi_status"] as const;

/** Returns the action that a request names, or null if we have no such action. */
export function panelActionOf({ action, orders }: ApiFields): PanelAction | null {
  if (action === undefined) return null;
  if (orders !== undefined && NAMES_OF_SEVERAL_STATUSES.some((name) => name === action)) return "status";
  return isPanelAction(action) ? action : null;
}

function isPanelAction(name: string): name is PanelAction {
  return Object.hasOwn(PANEL_ACTIONS, name);
}

/** Runs an action. `statusOf` describes an order to who asks for its status. */
export async function runPanelAction(
  context: Pick<AppLoadContext, "db" | "env" | "catalog" | "waitUntil">,
  { caller, key }: { caller: ApiCaller; key: OrderingKey },
  action: PanelAction,
  request: ApiRequest & { ok: true },
  statusOf: (order: Order) => object = statusBody,
): Promise<ApiResult> {
  const { db, env, catalog } = context;
  const { fields } = request;
  switch (action) {
    case "services":
      return fields.since === undefined
        ? services(db, catalog, caller.userId)
        : changedServices(db, catalog, caller.userId, fields.since);
    case "balance":
      return { ok: true, body: { balance: decimal(await readBalance(db, caller.userId), 2), currency: CURRENCY } };
    case "status":
      return status(db, caller, fields, statusOf);
    case "refill":
      return refill(db, caller, fields);
    case "refill_status":
      return refillStatus(db, caller, fields);
    case "cancel":
      return cancel(db, env, caller, fields);
    case "add": {
      const placed = await order(context, { caller, key }, request);
      return placed.ok ? { ...placed, body: { order: placed.order.id } } : placed;
    }
    default:
      return action satisfies never;
  }
}

/**
 * Places the order that the fields describe. `placed` is absent when the idempotency key replayed an earlier order, and
 * `headers` say so.
 */
export async function order(
  { db, env, catalog, waitUntil }: Pick<AppLoadContext, "db" | "env" | "catalog" | "waitUntil">,
  { caller, key: orderingKey }: { caller: ApiCaller; key: OrderingKey },
  { fields, idempotencyKey, hangUp }: ApiRequest & { ok: true },
): Promise<{ ok: true; order: Order; headers: Headers; placed?: Order } | ({ ok: false } & ApiError)> {
  const key = idempotencyKey ?? fields.request_id ?? null;
  if (key !== null && !isIdempotencyKey(key)) {
    const title = "request_id must be 1 to 255 printable characters without spaces";
    return fail({ ...ERRORS.incorrect_request, code: "invalid_idempotency_key", title });
  }
  const serviceId = parseWrittenId(fields.service ?? "");
  if (serviceId === null) return fail(orderError({ reason: "unknown_service" }));
  const extras = parseOrderExtras(fields);
  if (!extras.ok) return fail(orderError(extras.fault));
  const { maxCharge, notes } = extras;
  const orderFields = pickOrderFields((name) => ownValue(fields, name));
  const place = (idempotencyKey: string) =>
    placeOrder(
      db,
      caller.userId,
      {
        serviceId,
        fields: orderFields,
        idempotencyKey,
        source: "api",
        apiKeyId: caller.keyId,
        isTest: caller.isTest,
        notes,
        ...(maxCharge !== undefined && { maxCharge: () => maxCharge }),
      },
      catalog,
    );
  const content = () => digestOfOrder(serviceId, orderFields, notes);
  const result = await (key === null
    ? placeUnsettled({ env, waitUntil }, orderingKey, content, place, hangUp)
    : place(key));
  if (!result.ok) return fail(orderError(result.fault));
  const { order, replayed } = result;
  return replayed
    ? { ok: true, order, headers: { "Idempotent-Replayed": "true" } }
    : { ok: true, order, headers: {}, placed: order };
}

async function services(db: Db, catalog: CatalogCache, userId: string): Promise<ApiResult> {
  const encode = (listed: TimedService[]) => JSON.stringify(servicesBody(listed));
  const { version, json } = await catalog.encodedList(db, userId, encode);
  return { ok: true, json, headers: { [CATALOG_VERSION]: String(version) } };
}

/** Returns what turns the list of services of an earlier version into the current one. */
async function changedServices(db: Db, catalog: CatalogCache, userId: string, written: string): Promise<ApiResult> {
  const since = /^\s*\d{1,15}\s*$/.test(written) ? Number(written) : null;
  if (since === null) return fail({ ...ERRORS.incorrect_request, title: "since must be a Catalog-Version" });
  const { version, services, tierFrom } = await catalog.timed(db, userId);
  // A list from before the caller's prices became others has old rates of services that did not change.
  const changed = since < tierFrom ? null : await readChangedServices(db, since, version);
  return changed
    ? { ok: true, body: changesBody(services, changed, { since, version }) }
    : fail(ERRORS.version_too_old);
}

async function status(
  db: Db,
  caller: ApiCaller,
  fields: ApiFields,
  statusOf: (order: Order) => object,
): Promise<ApiResult> {
  if (fields.orders === undefined) {
    const [found] = await readStatuses(db, caller, [fields.order?.trim() ?? ""], statusOf);
    return found ? { ok: true, body: found } : fail(ERRORS.order_not_found);
  }
  const parsed = severalOrders.safeParse(fields);
  if (!parsed.success) return fail(ERRORS.incorrect_request);
  const { orders } = parsed.data;
  const found = await readStatuses(db, caller, orders, statusOf);
  const entries = orders.map((written, index) => [written, found[index] ?? { error: ERRORS.order_not_found.text }]);
  return { ok: true, body: Object.fromEntries(entries) };
}

/** Describes the caller's orders and sub-orders in the order of the ids, with null for an id that isn't theirs. */
async function readStatuses(
  db: Db,
  caller: ApiCaller,
  written: string[],
  statusOf: (order: Order) => object,
): Promise<(object | null)[]> {
  const asked = written.map((text) => ({ id: idOf(text), part: parseSubOrderId(text) }));
  const ids = new Set(asked.flatMap(({ id, part }) => [id, part?.orderId ?? 0]).filter((id) => id > 0));
  const owned = ids.size === 0 ? [] : await readOrders(db, caller, [...ids]);
  const found = new Map(owned.map((own) => [own.id, own]));
  return asked.map(({ id, part }) => {
    const own = found.get(id);
    if (own) return statusOf(own);
    const subscription = part && found.get(part.orderId);
    return subscription && isPostOf(subscription, part) ? subOrderStatusBody(subscription, part.post) : null;
  });
}

async function refill(db: Db, caller: ApiCaller, fields: ApiFields): Promise<ApiResult> {
  if (fields.orders === undefined) {
    const parsed = oneOrder.safeParse(fields);
    if (!parsed.success) return fail(ERRORS.order_not_found);
    const requested = await requestRefill(db, caller, parsed.data.order);
    return requested.ok ? { ok: true, body: { refill: String(requested.refillId) } } : fail(ERRORS[requested.reason]);
  }
  const parsed = severalOrders.safeParse(fields);
  if (!parsed.success) return fail(ERRORS.incorrect_request);
  const body: unknown[] = [];
  for (const written of parsed.data.orders) {
    const requested = await requestRefill(db, caller, idOf(written));
    const refill = requested.ok ? requested.refillId : { error: ERRORS[requested.reason].text };
    body.push({ order: idOrText(written), refill });
  }
  return { ok: true, body };
}

async function refillStatus(db: Db, caller: ApiCaller, fields: ApiFields): Promise<ApiResult> {
  if (fields.refills === undefined) {
    const parsed = oneRefill.safeParse(fields);
    const [found] = parsed.success ? await readRefills(db, caller, [parsed.data.refill]) : [];
    return found ? { ok: true, body: { status: found.status } } : fail(ERRORS.refill_not_found);
  }
  const parsed = severalRefills.safeParse(fields);
  if (!parsed.success) return fail(ERRORS.incorrect_request);
  const found = await readRefills(db, caller, numbers(parsed.data.refills));
  const statuses = new Map(found.map((known) => [known.id, known.status]));
  const body = parsed.data.refills.map((written) => ({
    refill: idOrText(written),
    status: statuses.get(Number(written)) ?? { error: ERRORS.refill_not_found.text },
  }));
  return { ok: true, body };
}

async function cancel(db: Db, env: CloseEnv, caller: ApiCaller, fields: ApiFields): Promise<ApiResult> {
  // The convention names `orders` alone; some clients send one as `order`.
  const parsed = severalOrders.safeParse({ orders: fields.orders ?? fields.order });
  if (!parsed.success) return fail(ERRORS.incorrect_request);
  const refused = await requestCancellations(db, env, caller, parsed.data.orders.map(idOf));
  const body = parsed.data.orders.map((written) => {
    const reason = refused.get(idOf(written));
    return { order: idOrText(written), cancel: reason === undefined ? 1 : { error: ERRORS[reason].text } };
  });
  return { ok: true, body };
}

/** Returns 0, which is no id, for text that is not a number. */
function idOf(written: string): number {
  return parseId(written) ?? 0;
}

function idOrText(written: string): number | string {
  return idOf(written) || written;
}

function numbers(written: string[]): number[] {
  return written.map(idOf).filter((id) => id > 0);
}

function fail(error: ApiError): { ok: false } & ApiError {
  return { ok: false, ...error };
}
