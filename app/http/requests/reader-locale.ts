export const DEFAULT_LOCALE = "en-US";
/** No browser sends more. The rest is ignored. */
const MAX_CHARACTERS = 1000;
const MAX_TAGS = 20;

/**
 * Returns the locale for number formats: the preferred tag of an `Accept-Language` header that this runtime knows, as
 * language, script and region ("de-AT"), or "en-US". Ignores extensions.
 */
export function readerLocale(acceptLanguage: string | null): string {
  const header = acceptLanguage ?? "";
  const parts = header.slice(0, MAX_CHARACTERS).split(",");
  // The last one may be truncated.
  if (header.length > MAX_CHARACTERS) parts.pop();
  const preferred = parts.slice(0, MAX_TAGS).flatMap(readPart);
  // Sorting is stable: the first of equal weight wins.
  for (const { tag } of preferred.sort((one, other) => other.weight - one.weight)) {
    const locale = tag === "*" ? DEFAULT_LOCALE : knownLocale(tag);
    if (locale !== null) return locale;
  }
  return DEFAULT_LOCALE;
}

function readPart(part: string): { tag: string; weight: number }[] {
  const match = /^\s*(\*|[a-z0-9-]{2,64})\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(part);
  const weight = Number(match?.[2] ?? 1);
  return match?.[1] && weight > 0 ? [{ tag: match[1], weight: Math.min(1, weight) }] : [];
}

function knownLocale(tag: string): string | null {
  try {
    const { language, script, region } = new Intl.Locale(tag);
    const locale = [language, script, region].filter(Boolean).join("-");
    return Intl.NumberFormat.supportedLocalesOf(locale)[0] ?? null;
  } catch {
    // Not a language tag.
    return null;
  }
}
