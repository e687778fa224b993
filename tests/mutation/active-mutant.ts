/** Switch that the compiled mutants read. It is in the worker's global scope, because sources and the built pages share it. */
type Mutation = {
  isActive: (file: string, index: number) => boolean;
  onSwitch: (file: string, compute: () => void) => void;
};

declare global {
  var __mutation: Mutation | undefined;
}

export type ActiveMutant = { file: string; index: number; isStatic: boolean };

/** Indexes of the mutants that were reached, by file. */
export type Reached = Record<string, number[]>;

/** An endless loop asks for its mutant this often before it is stopped. */
const MOST_HITS = 200_000;

let active: ActiveMutant | null = null;
let hits = 0;
let reached: Map<string, Set<number>> | null = null;
const constants = new Map<string, (() => void)[]>();

globalThis.__mutation = {
  isActive(file, index) {
    if (reached) reachedIn(reached, file).add(index);
    if (active === null || index !== active.index || file !== active.file) return false;
    hits += 1;
    if (hits > MOST_HITS) throw new Error("the mutant runs without an end");
    return true;
  },
  onSwitch(file, compute) {
    constants.set(file, [...(constants.get(file) ?? []), compute]);
  },
};

function reachedIn(files: Map<string, Set<number>>, file: string): Set<number> {
  const known = files.get(file) ?? new Set();
  files.set(file, known);
  return known;
}

/** Makes this the active mutant. The constants of its file are computed again if it changes one of them. */
export function activate(mutant: ActiveMutant | null): void {
  const files = new Set([active, mutant].map((one) => (one?.isStatic ? one.file : null)));
  active = mutant;
  hits = 0;
  for (const file of files) for (const compute of constants.get(file ?? "") ?? []) compute();
}

/** Starts to record which mutants are reached. */
export function recordReached(): void {
  reached = new Map();
}

/** Returns what was reached since `recordReached`, and stops recording. */
export function takeReached(): Reached {
  const taken = reached ?? new Map<string, Set<number>>();
  reached = null;
  return Object.fromEntries([...taken].map(([file, indexes]) => [file, [...indexes]]));
}
