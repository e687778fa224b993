/**
 * Text whose lines a mail program has folded (RFC 3676, format=flowed). postal-mime unfolds it too, but joins a folded line
 * to the next one whatever its quote depth is: a typed line below a quoted one that ends with a space becomes quoted. So
 * each part is declared as fixed before it is parsed, and unfolded here.
 */

/** How the texts of an email are folded. `deletesSpaces`: DelSp=yes, the space before a soft line break is no text. */
export type Flow = { deletesSpaces: boolean };

const [LF, DASH] = [0x0a, 0x2d];
/** Emails have two or three. */
const BOUNDARIES_MAX = 30;
const TYPE_LINE = /^content-type[ \t]*:(.*)$/i;
const BOUNDARY = /;\s{0,9}boundary\s{0,9}=\s{0,9}(?:"([^"]{1,200})"|([^\s";]{1,200}))/i;
const FLOWED = /;\s{0,9}format\s{0,9}=\s{0,9}"?(flowed)\b/i;
const DELETES_SPACES = /;\s{0,9}delsp\s{0,9}=\s{0,9}"?yes\b/i;
/** The same length, so that nothing moves. */
const FIXED = new TextEncoder().encode("fixed ");

/**
 * Declares, in place, the flowed texts of an email as fixed. Returns how they were folded, or null if they weren't, or not
 * all in the same way: then the lines stay as they arrived. Attached texts don't count.
 */
export function declareFixed(raw: Uint8Array<ArrayBuffer>): Flow | null {
  const flows: (Flow | null)[] = [];
  for (const { start, head } of partHeads(raw)) {
    const type = contentTypeOf(head);
    if (!/^\s*text\/plain\b/i.test(type.value) && type.value.trim() !== "") continue;
    if (/^content-disposition[ \t]*:[ \t]*attachment\b/im.test(head)) continue;
    const flowed = FLOWED.exec(type.value);
    flows.push(flowed && { deletesSpaces: DELETES_SPACES.test(type.value) });
    if (!flowed?.[1]) continue;
    // The value was unfolded by leaving out nothing, so the word stands where it stood.
    const at = flowed.index + flowed[0].lastIndexOf(flowed[1]);
    raw.set(FIXED, start + type.start + at);
  }
  const [first] = flows;
  return first && flows.every((flow) => flow?.deletesSpaces === first.deletesSpaces) ? first : null;
}

/** Joins folded lines, each with those of its own quote depth only: a change of depth ends a paragraph (section 4.5). */
export function unfold(text: string, { deletesSpaces }: Flow): string {
  const paragraphs: { depth: number; pieces: string[]; isOpen: boolean }[] = [];
  const lines = text.split(/\r\n?|\n/);
  for (const [at, line] of lines.entries()) {
    const depth = quoteDepthOf(line);
    const stuffed = line.slice(depth);
    const content = stuffed.startsWith(" ") ? stuffed.slice(1) : stuffed;
    const isSignature = content === "-- ";
    const isSoft = content.endsWith(" ") && !isSignature;
    const piece = isSoft && deletesSpaces ? content.slice(0, -1) : content;
    const last = paragraphs.at(-1);
    if (last?.isOpen && last.depth === depth && !isSignature && !isAboveQuotation(lines, at)) {
      last.pieces.push(piece);
      last.isOpen = isSoft;
    } else paragraphs.push({ depth, pieces: [piece], isOpen: isSoft });
  }
  return paragraphs
    .map(({ depth, pieces }) => {
      const content = pieces.join("");
      // A typed line that starts with the mark, which was stuffed.
      if (depth === 0) return content.startsWith(">") ? `  ${content}` : content;
      return content === "" ? ">".repeat(depth) : `${">".repeat(depth)} ${content}`;
    })
    .join("\n");
}

/** Returns whether a line is the one that says who wrote what is quoted below it. It is no part of the line typed above. */
function isAboveQuotation(lines: string[], at: number): boolean {
  if (!/^[^>].*[:：]\s*$/.test(lines[at] ?? "")) return false;
  const next = (lines[at + 1] ?? "").trim() === "" ? lines[at + 2] : lines[at + 1];
  return next?.startsWith(">") ?? false;
}

function quoteDepthOf(line: string): number {
  let depth = 0;
  while (line[depth] === ">") depth += 1;
  return depth;
}

/** Yields the header of the email and those of its parts, with the offset of each. Lines end at \n, as for the parser. */
function* partHeads(raw: Uint8Array<ArrayBuffer>): Generator<{ start: number; head: string }> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const boundaries: Buffer[] = [];
  let headStart: number | null = 0;
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found < 0 ? bytes.length : found + 1;
    if (headStart !== null) {
      const isEmpty = bytes.subarray(start, end).every((byte: number) => byte === LF || byte === 0x0d);
      if (isEmpty || end === bytes.length) {
        const head = bytes.latin1Slice(headStart, end);
        yield { start: headStart, head };
        const boundary = BOUNDARY.exec(contentTypeOf(head).value);
        const name = boundary?.[1] ?? boundary?.[2];
        if (name !== undefined && boundaries.length < BOUNDARIES_MAX)
          boundaries.push(Buffer.from(`--${name}`, "latin1"));
        headStart = null;
      }
    } else if (bytes[start] === DASH && bytes[start + 1] === DASH) {
      if (boundaries.some((boundary) => boundary.equals(bytes.subarray(start, start + boundary.length))))
        headStart = end;
    }
    start = end;
  }
}

/** Returns the value of the first Content-Type, its folded lines included, and where it starts in the header. */
function contentTypeOf(head: string): { value: string; start: number } {
  let start = 0;
  const lines = head.split("\n");
  for (const [at, line] of lines.entries()) {
    const found = TYPE_LINE.exec(line.trimEnd());
    if (found) {
      let next = at + 1;
      while (/^[ \t]/.test(lines[next] ?? "")) next += 1;
      const colon = line.indexOf(":") + 1;
      return { value: lines.slice(at, next).join("\n").slice(colon), start: start + colon };
    }
    start += line.length + 1;
  }
  return { value: "", start };
}
