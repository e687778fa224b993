import { MINUTE_MS } from "#app/time.ts";

/** The limits of a provider's row. `callsPerMinute` is null without a limit. */
export type PaceLimits = { concurrentCalls: number; callsPerMinute: number | null };

/**
 * Admits the calls to one provider in the order in which they ask. With a limit of calls a minute, they start at even
 * distances: then no minute has more, wherever it begins, and a dispatcher that lost its memory only waits once.
 */
export class ProviderPace {
  #limits: PaceLimits;
  #running = 0;
  #nextStartAt: number;
  readonly #waiting: ((slot: number) => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
    // The call before a loss of memory may have started right now.
    this.#nextStartAt = Date.now() + this.#distanceMs();
  }

  /** Returns the pace that was kept, with these limits from now on, or a new one. */
  static with(limits: PaceLimits, kept: ProviderPace | null): ProviderPace {
    kept?.setLimits(limits);
    return kept ?? new ProviderPace(limits);
  }

  setLimits(limits: PaceLimits): void {
    this.#limits = limits;
    this.#nextStartAt = Math.min(this.#nextStartAt, Date.now() + this.#distanceMs());
    this.#admit();
  }

  /** Resolves when a call may start, to its slot. Every call ends with `leave`. */
  enter(): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#admit();
    });
  }

  /** Ends a call. One that was not made leaves its start to the next, unless another call has started since. */
  leave({ made, slot }: { made: boolean; slot?: number } = { made: true }): void {
    this.#running--;
    if (!made && slot === this.#nextStartAt) this.#nextStartAt = Date.now();
    this.#admit();
  }

  /** Makes a call as soon as it may start. */
  run<T>(call: () => Promise<T>): Promise<T> {
    return this.inSlot((start) => {
      start();
      return call();
    });
  }

  /** Does the work as soon as a call may start. Counts as a call from its `start` on; without one, the next call starts at once. */
  async inSlot<T>(work: (start: () => void) => Promise<T>): Promise<T> {
    const slot = await this.enter();
    let made = false;
    try {
      return await work(() => {
        made = true;
      });
    } finally {
      this.leave({ made, slot });
    }
  }

  #admit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0 && this.#running < this.#limits.concurrentCalls) {
      const now = Date.now();
      // The clock may have been set back since the last call.
      this.#nextStartAt = Math.min(this.#nextStartAt, now + this.#distanceMs());
      if (now < this.#nextStartAt) {
        this.#timer = setTimeout(() => this.#admit(), this.#nextStartAt - now);
        return;
      }
      this.#running++;
      this.#nextStartAt = now + this.#distanceMs();
      this.#waiting.shift()?.(this.#nextStartAt);
    }
  }

  /** The time from the start of one call to the start of the next. */
  #distanceMs(): number {
    const { callsPerMinute } = this.#limits;
    return callsPerMinute === null ? 0 : Math.ceil(MINUTE_MS / callsPerMinute);
  }
}
