import { cutText } from "#app/cut-text.ts";
import { currencyIn, parseAmount } from "./answer-numbers.ts";
import { errorOf } from "./error-texts.ts";
import { hasFailed, isRecord, memberOf, membersOf, onlyOf, wrappedIn } from "./members.ts";
import type { Reader } from "./reader.ts";
import type { ProviderResponse } from "./response.ts";

const MAX_BALANCE_MICRO = 1e15;

/**
 * Returns our funds at the provider in micro-units of its currency, or null if the response has none. `currency` is empty if
 * it isn't named. The balance may stand in an object of our account, be an object itself, have groups of thousands, or its
 * currency beside it. Beside an error it means nothing.
 */
export function readBalance(
  response: ProviderResponse,
  { convention }: Reader,
): { balance: number; currency: string } | null {
  if (response.kind !== "json") return null;
  const { balance: names, amount: amountNames = [], currency: currencyNames } = convention.members;
  const body = onlyOf(response.body);
  if (hasFailed(membersOf(body), convention) || errorOf(body, convention) !== null) return null;
  for (const place of wrappedIn(body, convention).filter(isRecord)) {
    const members = membersOf(place);
    const named = memberOf(members, names);
    const inside = membersOf(named);
    const said = isRecord(named) ? memberOf(inside, [...amountNames, ...names]) : named;
    const balance = parseAmount(typeof said === "string" ? ungrouped(said) : said);
    if (balance === null || Math.abs(balance) > MAX_BALANCE_MICRO) continue;
    const currency = [inside, members, membersOf(body)].map((one) => memberOf(one, currencyNames)).find(Boolean);
    return { balance, currency: typeof currency === "string" ? cutText(currency.trim(), 10) : currencyIn(said) };
  }
  return null;
}

/** A balance has no three decimals, so "1,250" is a thousand and some. */
function ungrouped(text: string): string {
  return text.replace(/^(\s?-?\d{1,3}),(\d{3})(?![\d.,])/, "$1$2");
}
