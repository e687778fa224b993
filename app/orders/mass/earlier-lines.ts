/**
 * Returns for each line the index of the first one before it with the same target, or null. A target names a service and a
 * link, and is null for a line that orders nothing.
 */
export function earlierLines(targets: readonly (string | null)[]): (number | null)[] {
  const firsts = new Map<string, number>();
  return targets.map((target, index) => {
    if (target === null) return null;
    const first = firsts.get(target);
    if (first === undefined) firsts.set(target, index);
    return first ?? null;
  });
}

/** Says why a line may be wrong: its own `doubt`, and the number of the `earlier` line with its target. */
export function doubtOf(doubt: string | null, earlier: number | null): string | null {
  if (earlier === null) return doubt;
  const repeated = `Line ${earlier} is for the same link, and two at once can count each other's deliveries.`;
  return doubt === null ? repeated : `${doubt} ${repeated}`;
}
