import { type OutsideJson, readOutsideJson } from "#app/http/outside-json.ts";

/** What PHP prints around an answer is short, and has few brackets of its own. */
const MAX_NOISE = 20_000;
const MAX_STARTS = 20;

/** Tags of a page. A script in one can hold JSON that answers nothing. */
const PAGE = /<!doctype|<html|<head|<body|<script|<title/i;

/**
 * Parses an answer, also one with warnings of PHP, blanks or `<br />` in front of its JSON or behind it: then it takes the
 * object or list if there is exactly one, and no web page around it. JSON that was written as a text is parsed once more.
 */
export function readAnswerJson(raw: string, maxParts: number): OutsideJson {
  const text = raw.replace(/^\uFEFF/, "").trim();
  const whole = readOutsideJson(text, maxParts);
  if (whole.ok) return unquoted(whole, maxParts);
  if (whole.reason === "too_many_parts") return whole;
  const embedded = onlyJsonIn(text, maxParts);
  return embedded === undefined ? whole : { ok: true, value: embedded };
}

function unquoted(whole: OutsideJson & { ok: true }, maxParts: number): OutsideJson {
  const { value } = whole;
  if (typeof value !== "string" || !/^\s?[[{]/.test(value)) return whole;
  const inner = readOutsideJson(value, maxParts);
  return inner.ok ? inner : whole;
}

function onlyJsonIn(text: string, maxParts: number): unknown {
  let found: { value: unknown; length: number } | undefined;
  let noise = "";
  let starts = 0;
  let from = 0;
  for (let at = nextStart(text, 0); at !== -1; at = nextStart(text, at)) {
    if (++starts > MAX_STARTS) return undefined;
    const end = endOfValue(text, at);
    const read = end === -1 ? null : readOutsideJson(text.slice(at, end), maxParts);
    if (read?.ok) {
      if (found) return undefined;
      found = { value: read.value, length: end - at };
      noise += text.slice(from, at);
      at = end;
      from = end;
    } else at++;
  }
  noise += text.slice(from);
  return found && noise.length <= MAX_NOISE && !PAGE.test(noise) ? found.value : undefined;
}

function nextStart(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === "{" || text[at] === "[") return at;
  return -1;
}

/** Returns the index behind the bracket that closes the one at `start`, or -1. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '"') isText = !isText;
    else if (isText) at += Number(character === "\\");
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return -1;
}
