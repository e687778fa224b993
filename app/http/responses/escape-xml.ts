/** Control characters, lone surrogates and two noncharacters, which XML 1.0 can't have even escaped. */
const FORBIDDEN = /[^\P{Cc}\t\n\r]|\p{Cs}|[\uFFFE\uFFFF]/gu;

/** Returns a text for an element or a quoted attribute of XML, without characters that XML can't have. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(FORBIDDEN, "")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
