import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments } from "#tools/run/command-line.ts";

/**
 * `npm run emoji:list`: writes the emoji picker's list from emojibase-data. The package is 49 MB, so it is installed in a
 * temporary folder instead of with the product.
 */

const PACKAGE = "emojibase-data@17.0.0";
/** Newer emoji are missing on systems that people still use. */
const UNICODE_MAX = 15;
/** Skin tones and hair, which are no emoji of their own. */
const COMPONENTS = 2;
const WORDS_MAX = 6;
const GROUPS: Record<number, string> = {
  0: "Smileys",
  1: "People",
  3: "Animals and nature",
  4: "Food and drink",
  5: "Travel and places",
  6: "Activities",
  7: "Objects",
  8: "Symbols",
  9: "Flags",
};
const LIST = join(import.meta.dirname, "../../app/support/thread/emoji/emoji-list.txt");

type Entry = { emoji: string; label: string; tags?: string[]; group?: number; order?: number; version: number };

if (import.meta.main) {
  readArguments({ usage: "npm run emoji:list: writes the list of the chat's emoji picker", options: {} });
  writeFileSync(LIST, emojiList(readEntries()));
}

function readEntries(): Entry[] {
  const folder = mkdtempSync(join(tmpdir(), "emoji-"));
  try {
    const options = ["--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"];
    execFileSync("npm", ["install", PACKAGE, ...options], { stdio: "inherit" });
    return JSON.parse(readFileSync(join(folder, "node_modules/emojibase-data/en/data.json"), "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the list as `parseEmojiList` reads it. */
export function emojiList(entries: Entry[]): string {
  const listed = entries.filter(
    ({ group, version }) => group !== undefined && group !== COMPONENTS && version <= UNICODE_MAX,
  );
  listed.sort((one, other) => (one.order ?? 0) - (other.order ?? 0));
  const lines = Object.entries(GROUPS).flatMap(([group, name]) => [
    `# ${name}`,
    ...listed.filter((entry) => entry.group === Number(group)).map(lineOf),
  ]);
  const about = `Emoji of Unicode ${UNICODE_MAX} with their English names and search words, from ${PACKAGE.replace("@", " ")} (MIT). A line for each group and emoji.`;
  return `${[about, ...lines].join("\n")}\n`;
}

/** Words that the name starts a word with find the emoji anyway. */
function lineOf({ emoji, label, tags = [] }: Entry): string {
  const more = tags.filter((tag) => !` ${label.toLowerCase()}`.includes(` ${tag}`)).slice(0, WORDS_MAX);
  return [emoji, label, more.join(" ")].join("\t").trimEnd().replaceAll("’", "'");
}
