import type { AppLoadContext } from "@remix-run/cloudflare";
import { randomKey } from "#app/crypto/random-secret.server.ts";
import { cutText } from "#app/cut-text.ts";
import { isUnavailable } from "#app/db/bounded-database.server.ts";
import type { AppliedPriceRule } from "#app/db/schema.server.ts";
import { logError } from "#app/http/log.ts";
import { parseId, parseWrittenId } from "#app/http/requests/id-param.ts";
import { formText, type LargeForm } from "#app/http/requests/read-form.ts";
import { submitSoon } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import type { UsableCode } from "#app/orders/prices/percent-code-use.server.ts";
import { trimLink } from "#app/orders/rules/links/link-text.ts";
import { linkFromName } from "#app/orders/rules/links/service-links.ts";
import { faultMessage } from "#app/orders/rules/order-faults.ts";
import { type OrderRefusal, type ParsedOrder, pickOrderFields } from "#app/orders/rules/order-input.ts";
import { sealCode } from "./codes/carried-code.server.ts";
import { countedRefusal, MAX_CODE_CHARACTERS } from "./codes/check-code.server.ts";
import { findDuplicate, findOpenOrder, isRepeated, openOrderText } from "./duplicate-order.server.ts";
import type { OrderResult } from "./order-result.ts";
import { CODE_FIELD, placeOrder } from "./place-order.server.ts";
import { orderQuery, TOP_UP_PATH } from "./planned-order.server.ts";
import { shownCharge } from "./quotes/shown-price.ts";

const MAX_IDEMPOTENCY_KEY_CHARACTERS = 64;
/** A list may have 200,000 characters, and a form encodes a character as up to nine bytes. */
export const ORDER_FORM_LIMIT: LargeForm = {
  encoding: "application/x-www-form-urlencoded",
  maxBytes: 2_000_000,
  tooLarge: "This order is larger than 2 MB. Shorten its lists and send it again.",
};

export const UNAVAILABLE_TEXT =
  "Our database isn't answering at the moment. Wait a few seconds and place the order again: it is placed and charged once.";

/** Returns a new idempotency key. The prefix keeps it apart from keys that API clients choose. */
export function newFormKey(): string {
  return `web-${randomKey()}`;
}

/** The value of the checkbox that agrees to one link for one service. */
function agreement(serviceId: number, link: string): string {
  return `${serviceId} ${trimLink(link)}`;
}

/** Returns the link that the form agrees to, or "" without agreement for this service. */
function agreedOf(form: FormData, serviceId: number): string {
  const given = formText(form, "agreedLink");
  return given.startsWith(`${serviceId} `) ? given.slice(`${serviceId} `.length) : "";
}

/** Returns the link of "@name" on the service's network, or the text itself. */
async function linkOf(
  { db, catalog }: AppLoadContext,
  userId: string,
  serviceId: number,
  text: string,
): Promise<string> {
  if (!trimLink(text).startsWith("@")) return text;
  const service = catalog.remembered(serviceId, userId) ?? (await catalog.terms(db, serviceId, userId));
  return (service && linkFromName(service, text)) ?? text;
}

/**
 * Places the order of the form. Its percent code, if it has one, is an attempt that is counted. If the database doesn't
 * answer, the form keeps its idempotency key: sent again, it places the order once.
 */
export async function placeFromForm(
  context: AppLoadContext,
  userId: string,
  form: FormData,
  request: Request | null = null,
): Promise<OrderResult> {
  const idempotencyKey = cutText(formText(form, "idempotencyKey"), MAX_IDEMPOTENCY_KEY_CHARACTERS) || newFormKey();
  try {
    return await placeWithKey(context, userId, form, idempotencyKey, request);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    logError("order not placed", error, { request_id: context.requestId });
    const fields = pickOrderFields((name) => form.get(name));
    return {
      ok: false,
      field: null,
      text: UNAVAILABLE_TEXT,
      values: { ...fields, service: formText(form, "service") },
      nextKey: idempotencyKey,
      isUnavailable: true,
    };
  }
}

async function placeWithKey(
  context: AppLoadContext,
  userId: string,
  form: FormData,
  idempotencyKey: string,
  request: Request | null,
): Promise<OrderResult> {
  const fields = pickOrderFields((name) => form.get(name));
  const service = formText(form, "service");
  const serviceId = parseWrittenId(service) ?? 0;
  const agreedLink = agreedOf(form, serviceId);
  const input = { serviceId, fields, idempotencyKey, source: "web" as const, agreedLink };
  const link = await linkOf(context, userId, serviceId, fields.link ?? "");
  const again = parseId(formText(form, "again"));
  const isAgreed = await isRepeated(context.db, userId, again, { serviceId, fields, link });
  const duplicate = isAgreed ? null : await findDuplicate(context.db, userId, input);
  if (duplicate) {
    return {
      ok: false,
      field: null,
      text: `You just placed the same order (${duplicate.id}), so nothing was charged again. To order it twice, place it once more.`,
      values: { ...fields, service },
      nextKey: idempotencyKey,
      duplicate: duplicate.id,
    };
  }
  const open = isAgreed ? null : await findOpenOrder(context.db, userId, { ...input, link });
  if (open) {
    return {
      ok: false,
      field: null,
      text: `${openOrderText(open.id)} Nothing was charged. To order anyway, place it once more.`,
      values: { ...fields, service },
      nextKey: idempotencyKey,
      duplicate: open.id,
    };
  }
  const code = cutText(formText(form, "code"), MAX_CODE_CHARACTERS);
  const refusal = code.trim() === "" ? null : await countedRefusal(context.db, request, userId);
  if (refusal !== null) {
    return { ok: false, field: "code", text: refusal, values: { ...fields, service, code }, nextKey: idempotencyKey };
  }
  const topUpPath = async () => {
    const sealed = code.trim() === "" ? null : await sealCode(context.env.ENCRYPTION_KEYS, userId, code);
    return `${TOP_UP_PATH}?${orderQuery(String(serviceId), fields, { sealed })}`;
  };
  const shown = formText(form, "shownPrice");
  const maxCharge = (order: ParsedOrder, usable: UsableCode | null) => shownCharge(shown, order, usable);
  const placed = await placeOrder(context.db, userId, { ...input, code, maxCharge }, context.catalog);
  if (!placed.ok) {
    const { reason } = placed.fault;
    const doubtful = reason === "doubtful_link" && { doubtfulLink: agreement(serviceId, fields.link ?? "") };
    return {
      ok: false,
      ...formMessage(placed.fault),
      values: { ...fields, service, ...(code !== "" && { code }) },
      nextKey: reason === "idempotency_conflict" ? newFormKey() : idempotencyKey,
      ...doubtful,
      ...(reason === "insufficient_funds" && { topUp: await topUpPath() }),
    };
  }
  const { order, replayed } = placed;
  if (!replayed) submitSoon(context, order);
  return {
    ok: true,
    orderId: order.id,
    serviceId: order.serviceId,
    charge: order.charge,
    ...(order.priceRule && { lowered: { ...namedRule(order.priceRule), usual: order.charge + order.discount } }),
    replayed,
    nextKey: newFormKey(),
  };
}

/** Says of a code that fails what the form is to do: the order isn't placed at the usual price without a word. */
function formMessage(fault: OrderRefusal): { field: string | null; text: string } {
  const { field, text } = faultMessage(fault);
  if (field !== CODE_FIELD) return { field, text };
  return {
    field,
    text: `${text} Nothing was charged. To order without it, remove the code and place the order again.`,
  };
}

function namedRule({ name, basisPoints }: AppliedPriceRule) {
  return { name, basisPoints };
}
