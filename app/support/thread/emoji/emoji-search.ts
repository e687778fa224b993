/** `words`: the name and other words to find it by, in lower case. */
export type Emoji = { emoji: string; name: string; words: string };
export type EmojiGroup = { name: string; emoji: Emoji[] };

/** Parses `emoji-list.txt`. Its first line says what it is. */
export function parseEmojiList(text: string): EmojiGroup[] {
  const groups: EmojiGroup[] = [];
  for (const line of text.trimEnd().split("\n").slice(1)) {
    const [emoji = "", name = "", more = ""] = line.split("\t");
    if (line.startsWith("# ")) groups.push({ name: line.slice(2), emoji: [] });
    else groups.at(-1)?.emoji.push({ emoji, name, words: `${name} ${more}`.toLowerCase() });
  }
  return groups;
}

/** Returns the groups with the emoji that have a word starting with each of the query's, empty ones left out. */
export function searchEmoji(groups: EmojiGroup[], query: string): EmojiGroup[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return groups;
  return groups
    .map(({ name, emoji }) => ({
      name,
      emoji: emoji.filter(({ words }) => wanted.every((start) => ` ${words}`.includes(` ${start}`))),
    }))
    .filter(({ emoji }) => emoji.length > 0);
}
