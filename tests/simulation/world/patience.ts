/** Waits of the world's people, so that nobody asks 200 times within a minute of the clock that doesn't pass. */
export type Patience = {
  /** Waits for the clock's next step, or a moment of real time while nobody moves the clock in steps. */
  pause(): Promise<void>;
  /** Counts somebody as acting until the work ends. All work that takes real time goes through it. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Resolves once all of this work is done, or waits for the clock's next step. */
  untilStill(work: ReadonlySet<Promise<unknown>>): Promise<void>;
  /** Lets everybody who waits go on, and returns how many did. */
  wake(): number;
  pausing(): number;
  /** Says whether the clock moves in steps now. */
  setStepping(isStepping: boolean): void;
};

/** Turns of the event loop in which a response becomes the next request. */
const TURNS = 4;
const MOMENT_MS = 200;

export function openPatience(): Patience {
  let acting = 0;
  let isStepping = false;
  let paused: (() => void)[] = [];
  let changed = () => {};

  const isStill = () => acting === 0 && paused.length > 0;

  return {
    pausing: () => paused.length,
    pause: () =>
      new Promise((resolve) => {
        if (!isStepping) return void setTimeout(resolve, MOMENT_MS);
        paused.push(resolve);
        changed();
      }),
    async during(work) {
      acting++;
      try {
        return await work;
      } finally {
        acting--;
        changed();
      }
    },
    async untilStill(work) {
      while (work.size > 0) {
        const change = new Promise<void>((resolve) => {
          changed = resolve;
        });
        if (isStill() && (await staysSo(isStill))) return;
        if (!isStill()) await Promise.race([change, ...work]);
      }
    },
    wake() {
      const waking = paused;
      paused = [];
      for (const go of waking) go();
      return waking.length;
    },
    setStepping(is) {
      isStepping = is;
    },
  };
}

async function staysSo(isTrue: () => boolean): Promise<boolean> {
  for (let turn = 0; turn < TURNS; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isTrue()) return false;
  }
  return true;
}
