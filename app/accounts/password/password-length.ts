/** `from` is the shortest length of the step, in characters. `filled` is the number of bars to fill. */
const STEPS = [
  { from: 0, filled: 0, text: "8 characters or more. Longer is stronger." },
  { from: 1, filled: 0, text: "Too short: use 8 characters or more." },
  { from: 8, filled: 1, text: "Long enough. A few more words would make it harder to guess." },
  { from: 12, filled: 2, text: "Good length." },
  { from: 16, filled: 3, text: "Very good length." },
];
export const STEPS_TO_FILL = 3;

/** Returns a hint about the length. The server also refuses common passwords. */
export function lengthHint(length: number): { filled: number; text: string } {
  const step = STEPS.findLast(({ from }) => length >= from) ?? { filled: 0, text: "" };
  return { filled: step.filled, text: step.text };
}
