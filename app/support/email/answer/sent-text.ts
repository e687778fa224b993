/**
 * What we know of the email that is answered, to tell its text from what was typed. `text`: its plain text; it may have more
 * replies than the email had, in order. `addresses`: ours that it shows.
 */
export type SentEmail = { text: string; subject: string; name: string; addresses: string[]; recipient: string };

/** Where a line continues our text, or starts in it, however it was wrapped and marked. */
export type SentText = {
  /** Returns where in our text a line ends that continues it at a place, or null. */
  continuation: (line: string, at: number) => number | null;
  /** Returns where in our text a line ends that stands anywhere in it, behind `from` if possible, or null. */
  occurrence: (line: string, from: number) => number | null;
  /** Returns where a line ends that starts our text, or null. */
  start: (line: string) => number | null;
  /** Returns whether our text starts in a line, behind other words. */
  startsInside: (line: string) => boolean;
  /** Returns whether a place is in the last paragraph, which tells how to answer. */
  isEnd: (place: number) => boolean;
  /** Returns whether a line is nothing but a link of ours, as it is or inside that of a scanner of links. */
  isLink: (line: string) => boolean;
};

/** Of the newest replies, after the first paragraph. One conversation may have many. */
const TEXT_MAX_CHARS = 60_000;
/** Shorter lines could be typed by chance. */
const LETTERS_MIN = 12;
const START_LETTERS_MIN = 20;
/** Lines that our text is searched for in vain. An answer has fewer; a hostile one costs no more. */
const MISSES_MAX = 1000;
/** Longer than a message of the chat. */
const LINE_MAX_CHARS = 8000;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Scripts without spaces, which wrap at any letter. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}]/u;
/** The address that some programs write behind a link, or in place of it. */
const LINK_TARGET = /[<[(](?:https?|mailto):[^\s<>[\]()]{1,2000}[>\])]/gi;

/** Prepares the text of the email that is answered. Null: not known. */
export function sentTextOf(sent: SentEmail | null): SentText {
  const whole = sent?.text ?? "";
  const isLong = whole.length > TEXT_MAX_CHARS;
  const text = isLong ? whole.slice(0, whole.indexOf("\n\n") + 2) + whole.slice(-TEXT_MAX_CHARS) : whole;
  const { letters, boundaries } = lettersOf(text);
  const links = new Set(Array.from(text.matchAll(/https?:\/\/([^\s<>]{8,2000})/g), ([, rest = ""]) => rest));
  const endsFrom = lettersOf(text.slice(0, Math.max(0, text.trimEnd().lastIndexOf("\n\n")))).letters.length;
  const opening = lettersOf(text.slice(0, Math.max(0, text.indexOf("\n\n")))).letters;
  let misses = 0;
  const isWhole = (at: number, length: number) => boundaries.has(at) && boundaries.has(at + length);
  const find = (line: string, from: number): number | null => {
    for (let at = letters.indexOf(line, from); at >= 0; at = letters.indexOf(line, at + line.length)) {
      if (isWhole(at, line.length)) return at + line.length;
    }
    return null;
  };
  return {
    continuation: (line, at) => {
      if (letters === "" || line.length > LINE_MAX_CHARS) return null;
      const { letters: own } = lettersOf(line);
      return own !== "" && letters.startsWith(own, at) && isWhole(at, own.length) ? at + own.length : null;
    },
    occurrence: (line, from) => {
      if (letters === "" || line.length > LINE_MAX_CHARS || misses > MISSES_MAX) return null;
      const { letters: own } = lettersOf(line);
      if (own.length < LETTERS_MIN) return null;
      const end = find(own, from) ?? find(own, 0);
      if (end === null) misses += 1;
      return end;
    },
    startsInside: (line) => {
      if (opening.length < START_LETTERS_MIN || line.length < opening.length || line.length > LINE_MAX_CHARS)
        return false;
      return lettersOf(line).letters.indexOf(opening) > 0;
    },
    isEnd: (place) => place > endsFrom,
    isLink: (line) => {
      if (!/^[<[(]?https?:\/\/\S+$/.test(line)) return false;
      const decoded = decodedLink(line);
      return [...links].some((link) => decoded.includes(link));
    },
    start: (line) => {
      if (letters === "" || line.length > LINE_MAX_CHARS) return null;
      const { letters: own } = lettersOf(line);
      return own.length >= START_LETTERS_MIN && letters.startsWith(own) && isWhole(0, own.length) ? own.length : null;
    },
  };
}

function decodedLink(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}

/** Returns the letters and digits of a text in one form, and where its words start and end among them. */
function lettersOf(text: string): { letters: string; boundaries: Set<number> } {
  const boundaries = new Set([0]);
  const isAlone = (target: string) => target.length >= text.trim().length;
  const shown = text.replaceAll(LINK_TARGET, (target) => (isAlone(target) ? target : " "));
  let letters = "";
  for (const [word] of shown.matchAll(WORD)) {
    for (const piece of UNSPACED.test(word) ? word : [word]) {
      letters += piece.normalize("NFKC").toLowerCase();
      boundaries.add(letters.length);
    }
  }
  return { letters, boundaries };
}
