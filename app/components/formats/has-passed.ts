/** Returns whether `at` has been reached. Null never is. */
export function hasPassed(at: number | null, now: number): boolean {
  return at !== null && now >= at;
}
