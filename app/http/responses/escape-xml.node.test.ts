import { expect, test } from "vitest";
import { escapeXml } from "./escape-xml.ts";

/** The production `Char` of XML 1.0. */
const TEXT = /^[\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

test("leaves only characters that XML 1.0 allows, and drops none of a person's language", () => {
  const codes = Array.from({ length: 0x110000 }, (_, code) => code);
  // Apart, so that no two surrogates make a pair.
  const all = codes.map((code) => `${String.fromCodePoint(code)} `).join("");
  expect(all).not.toMatch(TEXT);
  expect(escapeXml(all)).toMatch(TEXT);
  for (const name of ["Подписчики", "ผู้ติดตาม", "متابعين", "粉丝", "👩🏽‍💻 likes", "tab\tand\nline", "\u{1FFFE}"]) {
    expect(escapeXml(name)).toBe(name);
  }
});

test("escapes what would end a text, an attribute or a CDATA section", () => {
  expect(escapeXml(`a & b <c> "d" ]]> &amp;`)).toBe("a &amp; b &lt;c&gt; &quot;d&quot; ]]&gt; &amp;amp;");
});
