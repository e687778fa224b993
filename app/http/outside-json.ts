export type OutsideJson = { ok: true; value: unknown } | { ok: false; reason: "not_json" | "too_many_parts" };

/**
 * Parses JSON of others. Counts first what costs many times its bytes: objects, lists and the members of objects, of which
 * it takes `maxParts` at most. Texts and numbers in lists cost two to six times their bytes, which the callers' limits in
 * bytes bound.
 */
export function readOutsideJson(text: string, maxParts: number): OutsideJson {
  if (hasMoreParts(text, maxParts)) return { ok: false, reason: "too_many_parts" };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false, reason: "not_json" };
  }
}

/** Returns null for what is not JSON or has more parts. */
export function outsideJson(text: string, maxParts: number): unknown {
  const read = readOutsideJson(text, maxParts);
  return read.ok ? read.value : null;
}

const [QUOTE, BACKSLASH, BRACE, BRACKET, COLON] = [0x22, 0x5c, 0x7b, 0x5b, 0x3a];

function hasMoreParts(json: string, max: number): boolean {
  let parts = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) isText = !isText;
    else if (isText) at += Number(character === BACKSLASH);
    else if (character === BRACE || character === BRACKET || character === COLON) parts++;
    if (parts > max) return true;
  }
  return false;
}
