/** Marks the start and the end of each matching word in an excerpt. */
export const MARK = { from: "\u0001", to: "\u0002" } as const;

/** Splits an excerpt into matching and other pieces. */
export function splitExcerpt(excerpt: string): { text: string; isHit: boolean }[] {
  const [before = "", ...marked] = excerpt.split(MARK.from);
  const pieces = marked.flatMap((piece) => {
    const [hit = "", ...rest] = piece.split(MARK.to);
    return [
      { text: hit, isHit: true },
      { text: rest.join(""), isHit: false },
    ];
  });
  return [{ text: before, isHit: false }, ...pieces].filter(({ text }) => text !== "");
}
