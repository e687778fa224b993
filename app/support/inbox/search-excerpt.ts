/** Around each word that was asked for, in the excerpt of a message. */
export const MARK = { from: "\u0001", to: "\u0002" } as const;

/** The excerpt in pieces, of which some are what was asked for. */
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
