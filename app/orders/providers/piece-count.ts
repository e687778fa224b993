/** Groups of thousands by commas, blanks or apostrophes, or by two dots and more, with decimals that may be zero. */
const COUNT = /^(\d{1,15}|\d{1,3}(?:[,\s'\u2019]\d{3})+|\d{1,3}(?:\.\d{3}){2,})(?:\.(\d+))?(?:e\+?(\d{1,2}))?$/i;
const MAX_CHARACTERS = 40;

/**
 * Reads a limit as panels write it: 100, 100.0, "1,000", "1e6". Returns null for anything else, and for what
 * could be two counts, such as "1.000". The count may have decimals.
 */
export function readPieceCount(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) && value >= 0 ? value : null;
  if (typeof value !== "string" || value.length > MAX_CHARACTERS) return null;
  const [, whole, fraction = "", power = "0"] = COUNT.exec(value.trim()) ?? [];
  if (whole === undefined || isTwofold(whole, fraction)) return null;
  return Number(`${whole.replaceAll(/\D/g, "")}.${fraction}e${power}`);
}

/** "1.000" is 1 to some and 1,000 to others. */
function isTwofold(whole: string, fraction: string): boolean {
  return fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
}
