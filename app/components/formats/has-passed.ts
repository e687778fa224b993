/** Returns whether a time is up, which it is from `at` on. Null: never. */
export function hasPassed(at: number | null, now: number): boolean {
  return at !== null && now >= at;
}
