const FORMAT = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeZone: "UTC" });

/** Formats the day of a time (ms) in UTC: "Nov 27, 2026". For days that count in UTC, whoever reads them. */
export function utcDay(at: number): string {
  return FORMAT.format(at);
}
