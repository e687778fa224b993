import type { Db } from "#app/db/db.server.ts";
import type { Order } from "#app/db/schema.server.ts";
import { isOurCurrency } from "#app/orders/providers/order-cost.ts";
import {
  callProvider,
  type FulfillmentEnv,
  logProviderResponse,
  noteResponse,
  type Provider,
  takesCalls,
} from "#app/orders/providers/provider-calls.server.ts";
import { isDeferral, meaningOfError } from "#app/orders/providers/provider-errors.ts";
import { isRecord, type ProviderResponse } from "#app/orders/providers/provider-responses.ts";

export const MAX_IDS_PER_CALL = 100;
/** A refused call of 100 orders with one bad id takes 15 calls to tell the id apart. */
const MAX_CALLS = 20;

/**
 * The calls that a round may still make. `isOver`: the provider answers none at the moment. `hadNoEnd`: the answer about a
 * single order was too long to be read. `postponed`: orders of refused calls whose status could not be read before, null
 * once they are asked for. `state` outlives the round.
 */
export type Budget = {
  callsLeft: number;
  isOver: boolean;
  hadNoEnd: boolean;
  postponed: Order[] | null;
  state: { hasFailed: boolean };
};

export function newBudget(state = { hasFailed: false }): Budget {
  return { callsLeft: MAX_CALLS, isOver: false, hadNoEnd: false, postponed: [], state };
}

type Apply = (some: Order[], body: Record<string, unknown>) => Promise<void>;

/**
 * Asks for the statuses of these orders in one call. A provider may refuse the call because of one id: then postpones the
 * orders that were unreadable before, and asks for each half of the others, until the order is found. So does a response
 * that is too long. An error about all orders, and no response, use up the budget; the first of several in a row is logged.
 */
export async function askForStatuses(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  open: Order[],
  budget: Budget,
  apply: Apply,
): Promise<void> {
  if (open.length === 0 || budget.callsLeft <= 0) return;
  const ids = open.map((order) => order.providerOrderId).join(",");
  const response = await callProvider(env, provider, { action: "status", orders: ids });
  const body = statusesIn(response, provider.balanceCurrency ?? "");
  const isTooLong = response.kind === "no_response" && response.isTooLong === true && response.httpStatus === 200;
  await noteResponse(db, provider, response, body === null && !isTooLong);
  const error = typeof body?.error === "string" ? body.error : null;
  const isAboutAll = isTooLong ? false : body === null || (error !== null && isDeferral(meaningOfError(error)));
  if (isAboutAll) {
    budget.callsLeft = 0;
    budget.isOver = true;
    if (!budget.state.hasFailed) await logProviderResponse(db, provider, null, "status", response);
    budget.state.hasFailed = true;
    return;
  }
  budget.state.hasFailed = false;
  if (body !== null && error === null) {
    await apply(open, body);
  } else if (open.length === 1) {
    budget.hadNoEnd ||= isTooLong;
    await apply(open, { [open[0]?.providerOrderId ?? ""]: body });
  } else {
    budget.callsLeft = Math.min(budget.callsLeft, MAX_CALLS) - 1;
    if (budget.postponed && open.some(wasUnreadable)) {
      budget.postponed.push(...open.filter(wasUnreadable));
      const others = open.filter((order) => !wasUnreadable(order));
      return askForStatuses(db, env, provider, others, budget, apply);
    }
    const half = Math.ceil(open.length / 2);
    const halves = [open.slice(0, half), open.slice(half)];
    // Always in the same order, the budget could end at the same bad ids in every round.
    if (Math.random() < 0.5) halves.reverse();
    for (const some of halves) await askForStatuses(db, env, provider, some, budget, apply);
  }
}

function wasUnreadable({ unreadableSince }: Order): boolean {
  return unreadableSince !== 0;
}

/** Asks for the postponed orders with what is left of the budget. Asked for earlier, they could hold up all orders behind them. */
export async function askForPostponed(
  db: Db,
  env: FulfillmentEnv,
  provider: Provider,
  budget: Budget,
  apply: Apply,
): Promise<void> {
  const postponed = budget.postponed ?? [];
  budget.postponed = null;
  for (let from = 0; from < postponed.length; from += MAX_IDS_PER_CALL) {
    const some = postponed.slice(from, from + MAX_IDS_PER_CALL);
    if (takesCalls(provider)) await askForStatuses(db, env, provider, some, budget, apply);
  }
}

/**
 * Returns the entries of a status response by order id, or null if it has none. PHP writes an object without any as []. A
 * charge without a currency is in that of our balance, which is named where it isn't ours.
 */
export function statusesIn(response: ProviderResponse, balanceCurrency: string): Record<string, unknown> | null {
  if (response.kind === "no_response") return null;
  const { body } = response;
  if (isRecord(body)) return isOurCurrency(balanceCurrency) ? body : withCurrency(body, balanceCurrency);
  return Array.isArray(body) && body.length === 0 ? {} : null;
}

function withCurrency(body: Record<string, unknown>, currency: string): Record<string, unknown> {
  const named = Object.entries(body).map(([id, entry]) => {
    const isUnnamed = isRecord(entry) && (typeof entry.currency !== "string" || entry.currency.trim() === "");
    return [id, isUnnamed ? { ...entry, currency } : entry];
  });
  return Object.fromEntries(named);
}
