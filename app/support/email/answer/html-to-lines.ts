import { ownValue } from "#app/own-value.ts";

/** Elements that mail programs put around what the writer did not write: signatures and the line above a quotation. */
const DROPPED =
  /\b(?:gmail_attr|gmail_signature|moz-cite-prefix|moz-signature|ms-outlook-mobile-signature|divRplyFwdMsg)\b|\bid=["']?Signature\b/i;
/** Elements that hold a quotation without being a blockquote. */
const QUOTING = /\b(?:yahoo_quoted|OutlookMessageHeader|protonmail_quote)\b/i;
/** How plain text says that an older email follows. */
const ORIGINAL_BELOW = "-----Original Message-----";
/** Blockquotes that only indent what was typed. */
const INDENTING = /\bborder:\s?none\b/i;
/** Outlook on the web marks the end of the answer so. The rest of the message follows beside it, not inside. */
const END_OF_ANSWER = /\bid=["']?(?:x_)?(?:appendonsend|divRplyFwdMsg)\b/i;
const HIDDEN = new Set(["head", "script", "style", "title", "template"]);
const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "wbr"]);
const BLOCK = new Set(["address", "div", "h1", "h2", "h3", "h4", "li", "ol", "p", "pre", "table", "td", "tr", "ul"]);
/** Elements with a blank line around them. */
const PARAGRAPH = new Set(["h1", "h2", "h3", "h4", "ol", "p", "pre", "ul"]);
/** A name and its attributes share no first character, or a long name without an end would be tried at each length. */
const TOKEN = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9:]*)((?:[^a-z0-9:<>][^<>]*)?)>|[^<]+|</gi;
/** Deeper elements count as their parent's text, so that hostile nesting costs nothing. */
const DEPTH_MAX = 200;
const ENTITIES: Record<string, string> = {
  amp: "&",
  apos: "'",
  copy: "©",
  euro: "€",
  gt: ">",
  hellip: "…",
  laquo: "«",
  ldquo: "“",
  lsquo: "‘",
  lt: "<",
  mdash: "—",
  nbsp: " ",
  ndash: "–",
  pound: "£",
  quot: '"',
  raquo: "»",
  rdquo: "”",
  rsquo: "\u2019",
  szlig: "ß",
};
/** Latin letters with a mark: "eacute" is "e" and U+0301. */
const MARKS: Record<string, string> = {
  acute: "\u0301",
  cedil: "\u0327",
  circ: "\u0302",
  grave: "\u0300",
  ring: "\u030a",
  tilde: "\u0303",
  uml: "\u0308",
};

type Open = { name: string; role: "dropped" | "quote" | "plain" };

/** Returns the text of an email's HTML as the lines of a plain one: quotations start with ">", and signatures are left out. */
export function htmlToLines(html: string): string[] {
  const open: Open[] = [];
  const lines: string[] = [];
  let line = "";
  let hasEnded = false;
  const depth = (role: Open["role"]) => open.filter((one) => one.role === role).length;
  const isPre = () => open.some(({ name }) => name === "pre");
  const endLine = (isBlankToo = false) => {
    const prefix = ">".repeat(depth("quote"));
    const text = line.trim();
    if (text !== "") lines.push(prefix ? `${prefix} ${text}` : text);
    const last = lines.at(-1);
    if (isBlankToo && last !== undefined && last !== prefix && last !== "") lines.push(prefix);
    line = "";
  };
  for (const [token, slash, tag = "", attributes = ""] of html.matchAll(TOKEN)) {
    const name = tag.toLowerCase();
    if (name === "") {
      if (token.startsWith("<!--") || depth("dropped") > 0) continue;
      const text = decodeEntities(token);
      if (!isPre()) {
        const spaced = text.replaceAll(/[ \t\r\n]+/g, " ");
        line += line === "" ? spaced.trimStart() : spaced;
      } else {
        for (const [at, part] of text.split(/\r?\n/).entries()) {
          if (at > 0) endLine(line.trim() === "");
          line += part;
        }
      }
    } else if (slash === "/") {
      const at = open.findLastIndex((one) => one.name === name);
      if (at < 0) continue;
      if (BLOCK.has(name) || name === "blockquote") endLine(PARAGRAPH.has(name));
      open.length = at;
    } else if (name === "br") {
      if (depth("dropped") === 0) endLine(line.trim() === "");
    } else {
      const isBlock = BLOCK.has(name) || name === "blockquote" || name === "hr";
      if (isBlock) endLine(PARAGRAPH.has(name) || name === "blockquote");
      if (name === "hr" && depth("dropped") === 0) lines.push("_".repeat(32));
      if (!hasEnded && END_OF_ANSWER.test(attributes) && depth("quote") === 0) {
        hasEnded = true;
        lines.push(ORIGINAL_BELOW);
      }
      if (!VOID.has(name) && !attributes.endsWith("/") && open.length < DEPTH_MAX)
        open.push({ name, role: roleOf(name, attributes) });
    }
  }
  endLine();
  return lines;
}

function roleOf(name: string, attributes: string): Open["role"] {
  if (HIDDEN.has(name) || DROPPED.test(attributes)) return "dropped";
  if (QUOTING.test(attributes)) return "quote";
  return name === "blockquote" && !INDENTING.test(attributes) ? "quote" : "plain";
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ownValue(ENTITIES, name) ?? markedLetter(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}

function markedLetter(name: string): string | null {
  const mark = ownValue(MARKS, name.slice(1));
  return mark === undefined ? null : (name.charAt(0) + mark).normalize("NFC");
}
