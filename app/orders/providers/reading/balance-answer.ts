import { currencyIn, parseAmount } from "./answer-numbers.ts";
import { hasFailed, isRecord, memberOf, membersOf, onlyOf, wrappedIn } from "./members.ts";
import type { Reader } from "./reader.ts";
import type { ProviderResponse } from "./response.ts";

const MAX_BALANCE_MICRO = 1e15;

/**
 * Returns our funds at the provider in micro-units of its currency, or null if the response has none. `currency` is empty if
 * it isn't named. The balance may stand in an object of our account, in groups of thousands, or with its currency.
 */
export function readBalance(
  response: ProviderResponse,
  { convention }: Reader,
): { balance: number; currency: string } | null {
  if (response.kind !== "json") return null;
  const { balance: names, currency: currencyNames } = convention.members;
  const body = onlyOf(response.body);
  if (hasFailed(membersOf(body), convention)) return null;
  for (const place of wrappedIn(body, convention).filter(isRecord)) {
    const members = membersOf(place);
    const said = memberOf(members, names);
    const balance = parseAmount(typeof said === "string" ? ungrouped(said) : said);
    if (balance === null || Math.abs(balance) > MAX_BALANCE_MICRO) continue;
    const currency = memberOf(members, currencyNames) ?? memberOf(membersOf(body), currencyNames);
    return { balance, currency: typeof currency === "string" ? currency.trim().slice(0, 10) : currencyIn(said) };
  }
  return null;
}

/** A balance has no three decimals, so "1,250" is a thousand and some. */
function ungrouped(text: string): string {
  return text.replace(/^(\s?-?\d{1,3}),(\d{3})(?![\d.,])/, "$1$2");
}
