import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { onceKey, reason } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { wakeDispatchers } from "#app/orders/fulfillment/wake-dispatchers.server.ts";
import { parseProviderId } from "#app/orders/providers/reading/members.ts";
import { formatMoney } from "#app/orders/rules/money-text.ts";
import { type DecidedTogether, decideTogether, MAX_DECIDED, readSelectedOrders } from "./bulk-decision.server.ts";
import { BULK_DECISIONS, type BulkDecision, planDecision, sumsOf } from "./bulk-decision-plan.ts";

export const DECIDE_INTENT = "decide";
const THEIRS = "theirs-";
const input = z.object({
  decision: z.enum(BULK_DECISIONS),
  seen: z.string().max(MAX_DECIDED * 40),
  once: onceKey,
  reason,
});

const CHANGED = "changed meanwhile";
const WHY_TEXTS: Record<DecidedTogether["left"][number]["why"], string> = {
  no_id: "no provider order ID",
  provider_id_taken: "another order has this provider order ID",
  moved_on: CHANGED,
  not_found: CHANGED,
  changed: CHANGED,
  stale: CHANGED,
  final: CHANGED,
  sending: CHANGED,
  held: CHANGED,
  not_held: CHANGED,
  bad_remains: CHANGED,
  no_provider: CHANGED,
  refund_given: CHANGED,
  bad_amount: CHANGED,
};

/** Handles the form that decides about the orders that the URL selects. Returns null for an unknown form. */
export async function submitBulkDecision(
  { db, env, waitUntil }: Pick<AppLoadContext, "db" | "env" | "waitUntil">,
  actor: Actor,
  params: URLSearchParams,
  form: FormData,
): Promise<FormOutcome | null> {
  if (form.get("intent") !== DECIDE_INTENT) return null;
  const parsed = parseForm(form, input);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { decision, once, reason } = parsed.input;
  const theirs = readTheirs(form);
  if (theirs === null) {
    const message = "A provider order ID has letters, digits, dashes and underscores only. Nothing was decided.";
    return { kind: "shown", status: 400, result: parsed.refuse({ message }) };
  }
  const plan = planDecision(await readSelectedOrders(db, params), decision);
  const given = { decision, seen: readSeen(parsed.input.seen), theirs, reason, onceKey: once };
  const decided = await decideTogether(db, env, actor, plan, given);
  if (decided === null) {
    const message = "This form was submitted before. What it decided is done.";
    return { kind: "shown", status: 409, result: parsed.refuse({ message }) };
  }
  const { done, left, isNoted } = decided;
  if (decision === "again" && done.length > 0) waitUntil(wakeDispatchers(db, env.PROVIDER_DISPATCHER));
  const message = [doneText(decision, done), leftText(left)].filter((text) => text !== "").join(" ");
  if (left.length === 0) return { kind: "done", message, to: "/admin/orders?state=held" };
  if (done.length === 0) return { kind: "shown", status: isNoted ? 200 : 409, result: parsed.refuse({ message }) };
  return { kind: "shown", status: 200, result: { intent: DECIDE_INTENT, ok: true, message } };
}

/** Reads when each order was changed last as the form showed it: `12:1795550000000,13:…`. */
function readSeen(text: string): Map<number, number> {
  const pairs = text.split(",").map((pair) => pair.split(":"));
  return new Map(
    pairs.flatMap(([id, at]) => {
      const orderId = parseId(id);
      return orderId === null ? [] : [[orderId, Number(at)] as const];
    }),
  );
}

/** Reads the provider's ids that were typed, by order. Returns null if one of them is none. */
function readTheirs(form: FormData): Map<number, string> | null {
  const theirs = new Map<number, string>();
  for (const [name, value] of form) {
    const orderId = name.startsWith(THEIRS) ? parseId(name.slice(THEIRS.length)) : null;
    if (orderId === null || typeof value !== "string" || value.trim() === "") continue;
    const providerOrderId = parseProviderId(value.trim());
    if (providerOrderId === null) return null;
    theirs.set(orderId, providerOrderId);
  }
  return theirs;
}

function doneText(decision: BulkDecision, done: DecidedTogether["done"]): string {
  const { count, refunds } = sumsOf(done);
  if (count === 0) return "";
  const orders = count === 1 ? "1 order" : `${count} orders`;
  const texts: Record<BulkDecision, string> = {
    again: `Sending ${orders} again.`,
    refund: `Canceled ${orders} and refunded ${formatMoney(refunds)}.`,
    follow: `Tracking ${orders}.`,
  };
  return texts[decision];
}

function leftText(left: DecidedTogether["left"]): string {
  if (left.length === 0) return "";
  const whys = [...new Set(left.map(({ why }) => WHY_TEXTS[why]))];
  const named = whys.map((text) => {
    const ids = left.filter(({ why }) => WHY_TEXTS[why] === text).map(({ id }) => id);
    return `${ids.join(", ")} (${text})`;
  });
  return `Left alone: ${named.join("; ")}.`;
}
