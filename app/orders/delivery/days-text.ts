/** Returns "30 days". */
export function daysText(days: number): string {
  return `${days} ${days === 1 ? "day" : "days"}`;
}
