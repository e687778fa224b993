import { cutText } from "#app/cut-text.ts";
import type { Db } from "#app/db/db.server.ts";
import type { LearnedDialect } from "#app/db/schema.server.ts";
import { MEANINGS } from "#app/orders/providers/conventions/error-meanings.ts";
import { type FulfillmentEnv, type Provider, ProviderLink } from "#app/orders/providers/provider-link.server.ts";
import { readBalance } from "#app/orders/providers/reading/balance-answer.ts";
import { causeOfStatus, errorOf, meaningOf, messageOf } from "#app/orders/providers/reading/error-texts.ts";
import { onlyOf } from "#app/orders/providers/reading/members.ts";
import type { Reader } from "#app/orders/providers/reading/reader.ts";
import type { ProviderResponse } from "#app/orders/providers/reading/response.ts";
import { decimal } from "#app/orders/rules/money-text.ts";

/** A fact about how a provider's API is spoken to, in words. */
export type DialectFact = { name: string; says: string };
export type ProviderTest = { ok: true; balance: string; dialect: DialectFact[] } | { ok: false; why: string };

const MAX_SHOWN = 300;

/** Requests the balance, which is free and proves that URL and key are right. */
export async function testProvider(db: Db, env: FulfillmentEnv, provider: Provider): Promise<ProviderTest> {
  const link = new ProviderLink(db, env, provider);
  const response = await link.call({ action: "balance" });
  await link.logResponse(null, "balance", response);
  if (response.kind === "json" && response.httpStatus >= 400) await link.learn({ refusesWith4xx: true });
  const { reader } = link;
  const read = readBalance(response, reader);
  if (!read) return { ok: false, why: whyNoBalance(response, reader) };
  const balance = [decimal(read.balance, 2), read.currency].join(" ").trim();
  return { ok: true, balance, dialect: dialectFacts(link) };
}

/** Returns in plain words why a response has no balance, with the provider's own words. */
function whyNoBalance(response: ProviderResponse, reader: Reader): string {
  if (response.kind === "no_response") return response.why;
  const text = response.kind === "json" ? refusalIn(response, reader) : shortText(response.raw);
  const meaning = text === null ? null : meaningOf(text, reader);
  if (text !== null && meaning !== null) return `${MEANINGS[meaning].says}. The provider says: “${text}”`;
  const cause = causeOfStatus(response.httpStatus);
  const says = cause && MEANINGS[cause].says;
  if (says)
    return `${says}. The provider answers with HTTP ${response.httpStatus}${text === null ? "" : `: “${text}”`}`;
  if (text !== null) return `The provider says: “${text}”`;
  return response.kind === "json"
    ? "The response has no balance"
    : "The response is not JSON, but a page or a text. Check the URL: it's the API's, not the panel's.";
}

function refusalIn({ body, httpStatus }: ProviderResponse & { kind: "json" }, { convention }: Reader): string | null {
  if (typeof body === "string") return cutText(body, MAX_SHOWN);
  const one = onlyOf(body);
  const text = errorOf(one, convention, httpStatus >= 400) ?? messageOf(one, convention);
  return text === null ? null : cutText(text, MAX_SHOWN);
}

/** Returns a bare text, and null for a page. */
function shortText(raw: string): string | null {
  const text = raw.trim();
  return text.length <= MAX_SHOWN && !/[<>{}\n]/.test(text) ? text : null;
}

/** Says in plain words how a provider's API works, as far as its answers have shown. */
function dialectFacts({ dialect, settings, reader: { convention } }: ProviderLink): DialectFact[] {
  const { taught = [] } = settings;
  return [
    { name: "Family of panels", says: convention.name },
    { name: "API key", says: `Sent in the body, as “${convention.parameters.key}”` },
    { name: "Order statuses", says: callsText(dialect.status, "order") },
    {
      name: "Refills",
      says: dialect.refill === "refill" ? "One per call, by the refill parameter" : callsText(dialect.refill, "refill"),
    },
    { name: "Refill statuses", says: callsText(dialect.refill_status, "refill") },
    { name: "Cancellations", says: callsText(dialect.cancel, "cancellation") },
    { name: "Refusals", says: dialect.refusesWith4xx ? "As JSON with HTTP 4xx" : "None with HTTP 4xx so far" },
    { name: "Words you taught", says: String(taught.length) },
  ];
}

const CALLS: Record<NonNullable<LearnedDialect["status"]>, string> = { one: "One per call", many: "Several per call" };

/** `of`: what the first call of that kind is about. */
function callsText(takes: "one" | "many" | undefined, of: string): string {
  return takes === undefined ? `Known after the first ${of}` : CALLS[takes];
}
