/** Returns the name of a language tag in the reader's language, or the tag if it has none. */
export function languageName(tag: string, locale: string): string {
  try {
    return new Intl.DisplayNames([locale], { type: "language" }).of(tag) ?? tag;
  } catch {
    // Not a language tag.
    return tag;
  }
}
