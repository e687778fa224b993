/** Returns the given path if it stays on this site, otherwise `fallback`. */
export function safePath(value: FormDataEntryValue | null | undefined, fallback: string): string {
  // A backslash or a tab after the first slash makes a browser read the next part as a host.
  if (typeof value !== "string" || !/^\/(?![/\\])[^\\\t\r\n]*$/.test(value)) return fallback;
  const base = "https://same.invalid";
  const url = URL.canParse(value, base) ? new URL(value, base) : null;
  return url?.origin === base ? url.pathname + url.search + url.hash : fallback;
}
