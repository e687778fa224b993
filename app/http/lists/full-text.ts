/**
 * Returns a text as one phrase of an FTS5 query, in which nothing acts as an operator. Controls are left out, because a
 * NUL would end the query inside the phrase.
 */
export function ftsPhrase(text: string): string {
  return `"${text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, "")
    .replaceAll('"', '""')}"`;
}
