import type { Db } from "#app/db/db.server.ts";
import { type ApiRequest, isIdempotencyKey } from "#app/http/api-request.ts";
import { CURRENCY } from "#app/product.ts";
import { type ApiCaller, type ApiKeyScope, findApiCaller } from "./api-keys.server.ts";
import { listServices } from "./catalogue.server.ts";
import { readBalance } from "./ledger.server.ts";
import { decimal } from "./money.ts";
import { ORDER_FIELDS, type OrderFields } from "./order-request.ts";
import { type Order, type OrderRefusal, placeOrder, readOrder, readOrders } from "./orders.server.ts";

/** The panel convention: action names, bodies and error texts that existing clients read. */
export const PANEL_ACTIONS = ["services", "add", "status", "balance"] as const;
export type PanelAction = (typeof PANEL_ACTIONS)[number];

export type ApiError = { status: number; code: string; text: string; title?: string; field?: string };
export type ApiAnswer = { ok: true; body: unknown; placed?: Order } | ({ ok: false } & ApiError);

const MAX_ORDERS_A_CALL = 100;
const INCORRECT_ORDER = "Incorrect order ID";

/** Runs one action for whoever the key belongs to. */
export async function answerPanel(
  db: Db,
  request: ApiRequest & { ok: true },
  action: PanelAction,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<ApiAnswer> {
  const caller = await authorize(db, request.key, action === "add" ? "order" : "read", waitUntil);
  if (!caller.ok) return caller;
  const { userId } = caller;
  switch (action) {
    case "services":
      return { ok: true, body: (await listServices(db)).map(serviceBody) };
    case "balance":
      return { ok: true, body: { balance: decimal(await readBalance(db, userId), 2), currency: CURRENCY } };
    case "status":
      return status(db, userId, request.fields);
    case "add": {
      const placed = await order(db, userId, request);
      return placed.ok ? { ...placed, body: { order: placed.order.id } } : placed;
    }
    default:
      return action satisfies never;
  }
}

/** Places the order that the fields describe. `replayed`: the idempotency key had placed it before. */
export async function order(
  db: Db,
  userId: string,
  { fields, idempotencyKey }: ApiRequest & { ok: true },
): Promise<{ ok: true; order: Order; placed?: Order; replayed: boolean } | ({ ok: false } & ApiError)> {
  const key = idempotencyKey ?? fields.request_id ?? null;
  if (key !== null && !isIdempotencyKey(key)) {
    return fail(400, "invalid_idempotency_key", "Give a request_id of 1 to 255 printable characters");
  }
  if (!/^\d{1,9}$/.test(fields.service ?? "")) return refusal({ reason: "unknown_service" });
  const result = await placeOrder(db, userId, {
    serviceId: Number(fields.service),
    fields: orderFields(fields),
    idempotencyKey: key,
    source: "api",
  });
  if (!result.ok) return refusal(result.fault);
  return {
    ok: true,
    order: result.order,
    replayed: result.replayed,
    ...(!result.replayed && { placed: result.order }),
  };
}

export async function authorize(
  db: Db,
  key: string | null,
  scope: ApiKeyScope,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<({ ok: true } & ApiCaller) | ({ ok: false } & ApiError)> {
  const caller = key === null ? null : await findApiCaller(db, key, waitUntil);
  if (!caller) return fail(401, "invalid_api_key", "Invalid API key");
  if (!caller.scopes.includes(scope)) return fail(403, "missing_scope", `This key has no scope "${scope}"`);
  return { ok: true, ...caller };
}

/** The body of `POST /api/v1/create_order`: what the order was when it was placed, so a replay is the same. */
export function createdOrderBody(order: Order) {
  return {
    id: order.id,
    service: order.serviceId,
    link: order.link,
    quantity: order.quantity,
    runs: order.runs,
    charge: decimal(order.charge, 2),
    currency: CURRENCY,
    status: "Pending",
    remains: order.quantity * order.runs,
    created_at: new Date(order.createdAt).toISOString(),
  };
}

async function status(db: Db, userId: string, fields: Record<string, string>): Promise<ApiAnswer> {
  if (fields.orders === undefined) {
    const id = orderId(fields.order);
    const found = id === null ? null : await readOrder(db, userId, id);
    return found ? { ok: true, body: statusBody(found) } : fail(404, "order_not_found", INCORRECT_ORDER);
  }
  const asked = fields.orders.split(/[,\s]+/).filter(Boolean);
  if (asked.length === 0 || asked.length > MAX_ORDERS_A_CALL) return fail(400, "too_many_orders", "Incorrect request");
  const ids = asked.map(orderId).filter((id) => id !== null);
  const found = new Map((await readOrders(db, userId, ids)).map((order) => [order.id, order]));
  const body = asked.map((text) => {
    const known = found.get(orderId(text) ?? 0);
    return [text, known ? statusBody(known) : { error: INCORRECT_ORDER }];
  });
  return { ok: true, body: Object.fromEntries(body) };
}

function statusBody(order: Order) {
  return {
    charge: decimal(order.charge - order.refunded, 2),
    start_count: order.startCount === null ? "" : String(order.startCount),
    status: order.status,
    remains: String(order.remains),
    currency: CURRENCY,
  };
}

function serviceBody(service: Awaited<ReturnType<typeof listServices>>[number]) {
  return {
    service: service.id,
    name: service.name,
    type: service.type,
    category: service.category,
    rate: decimal(service.rate, 2),
    min: String(service.min),
    max: String(service.max),
    dripfeed: service.dripfeed,
    refill: service.refill,
    cancel: service.cancel,
  };
}

/** What a refused order is to a program: one place for the status, the code and the convention's text. */
export function refusal(fault: OrderRefusal): { ok: false } & ApiError {
  switch (fault.reason) {
    case "unknown_service":
      return fail(422, fault.reason, "Incorrect service ID", "service");
    case "bad_link":
      return fail(422, fault.reason, "Bad link", "link");
    case "quantity_too_small":
      return fail(422, fault.reason, `Quantity less than minimal ${fault.min}`, "quantity");
    case "quantity_too_large":
      return fail(422, fault.reason, `Quantity more than maximum ${fault.max}`, "quantity");
    case "insufficient_funds":
      return fail(402, fault.reason, "Not enough funds on balance");
    case "idempotency_conflict":
      return fail(409, fault.reason, "This idempotency key was used for another order");
    case "invalid_field":
      return { ...fail(422, fault.reason, "Incorrect request", fault.field), title: fault.text };
    default:
      return fault satisfies never;
  }
}

function fail(status: number, code: string, text: string, field?: string): { ok: false } & ApiError {
  return { ok: false, status, code, text, field };
}

function orderId(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,10}$/.test(text.trim()) ? Number(text) : null;
}

function orderFields(fields: Record<string, string>): OrderFields {
  return Object.fromEntries(ORDER_FIELDS.map((name) => [name, fields[name]]));
}
