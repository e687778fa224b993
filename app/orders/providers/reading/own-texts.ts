import type { Order } from "#app/db/schema.server.ts";

const MAX_INPUTS = 5000;
const MIN_INPUT = 3;
const MAX_INPUT = 500;
/** A text that is quoted without its end is known by so many characters of its start. */
const MIN_START = 12;

/** Returns the texts of an order that its provider gets and may quote: its link, and each line of its other fields. */
export function ownTextsOf({ link, providerFields }: Pick<Order, "link" | "providerFields">): string[] {
  return [link, ...linesOf(Object.values(providerFields).map(String))];
}

/** Returns each line of texts: a list of comments is quoted one by one. */
export function linesOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split("\n"));
}

/**
 * Replaces an order's own texts, such as its link and its comments, by `mark` wherever a text in lower case has them as whole
 * words. The longest go first, since one comment may contain another.
 */
export function withoutOwnTexts(text: string, inputs: readonly string[], mark: string): string {
  return formsOf(inputs).reduce((left, form) => withoutWhole(left, form, mark), text);
}

/**
 * Does the same also for texts that are quoted without their end or with their signs escaped, and for the names and ids at the
 * end of links: of "https://instagram.com/somebody", a panel quotes "somebody".
 */
export function withoutQuotes(text: string, inputs: readonly string[], mark: string): string {
  const own = inputs.slice(0, MAX_INPUTS);
  const quoted = [...own, ...own.filter((input) => /[&<>"']/.test(input)).map(escaped)];
  const starts = formsOf(quoted).filter(({ length }) => length > MIN_START);
  const bare = starts.reduce((left, form) => withoutStart(left, form, mark), withoutOwnTexts(text, quoted, mark));
  return withoutOwnTexts(bare, own.flatMap(namesIn), mark);
}

const ESCAPES = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#039;"],
]);

function escaped(input: string): string {
  return input.replaceAll(/[&<>"']/g, (sign) => ESCAPES.get(sign) ?? sign);
}

/** Returns the last part of a link's path and the values of its query, or a name without its "@". */
function namesIn(input: string): string[] {
  const text = input.trim();
  if (/^@\S+$/.test(text)) return [text.slice(1)];
  if (text.length > MAX_INPUT || !/^(?:https?:\/\/)?[\w-]{1,60}\.[\w.-]{1,60}\/\S+$/i.test(text)) return [];
  const [path = "", query = ""] = text.split("#", 1).join("").split("?");
  const last = path.split("/").findLast((part) => part !== "") ?? "";
  return [last.replace(/^@/, ""), ...query.split("&").map((pair) => pair.slice(pair.indexOf("=") + 1))];
}

/** Returns inputs as they are, and links without their protocol too, which panels cut off. */
function formsOf(inputs: readonly string[]): string[] {
  return inputs
    .slice(0, MAX_INPUTS)
    .map((input) => input.trim().toLowerCase())
    .flatMap((input) => [input, input.replace(/^https?:\/\/(?:www\.)?/, "")])
    .filter((form, at, forms) => at % 2 === 0 || form !== forms[at - 1])
    .filter(({ length }) => length >= MIN_INPUT && length <= MAX_INPUT)
    .toSorted((one, other) => other.length - one.length);
}

function withoutWhole(text: string, input: string, mark: string): string {
  let left = text;
  for (let at = left.indexOf(input); at !== -1; at = left.indexOf(input, at)) {
    const end = at + input.length;
    if (isOfWord(left[at - 1]) || isOfWord(left[end])) at++;
    else left = left.slice(0, at) + mark + left.slice(end);
  }
  return left;
}

function isOfWord(character = " "): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}

function withoutStart(text: string, input: string, mark: string): string {
  const at = text.indexOf(input.slice(0, MIN_START));
  if (at === -1 || isOfWord(text[at - 1])) return text;
  let length = MIN_START;
  while (length < input.length && text[at + length] === input[length]) length++;
  return text.slice(0, at) + mark + text.slice(at + length);
}
