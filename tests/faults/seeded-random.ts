/** A small seeded generator, so that a run can be repeated. */
export type Random = {
  pick: <T>(items: readonly T[]) => T;
  chance: (probability: number) => boolean;
  /** A whole number from 0 to `end`, exclusive. */
  upTo: (end: number) => number;
  next: () => number;
};

/** Mulberry32. */
export function seededRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const upTo = (end: number) => Math.floor(next() * end);
  return {
    next,
    upTo,
    chance: (probability) => next() < probability,
    pick: (items) => items[upTo(items.length)] as (typeof items)[number],
  };
}
