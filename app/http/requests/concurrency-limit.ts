/** Limits how much of the same key is in progress at once, in this copy of the worker. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #running = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the function to call at the end, or null if too much of this key is in progress. */
  start(key: string): (() => void) | null {
    const running = this.#running.get(key) ?? 0;
    if (running >= this.#max) return null;
    this.#running.set(key, running + 1);
    return () => {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
    };
  }
}
