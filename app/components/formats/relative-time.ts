const UNITS: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const JUST_NOW_SECONDS = 45;
const FORMAT = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** "just now", "5 minutes ago", "in 2 days". Both in milliseconds since 1970. */
export function relativeTime(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const distance = Math.abs(seconds);
  if (distance < JUST_NOW_SECONDS) return "just now";
  const [unit, size] = UNITS.find(([, size]) => distance >= size) ?? ["minute", 60];
  const amount = Math.max(1, Math.floor(distance / size));
  return FORMAT.format(Math.sign(seconds) * amount, unit);
}
