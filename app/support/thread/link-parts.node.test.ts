import { expect, test } from "vitest";
import { linkParts } from "./link-parts.ts";

/** A message, and its links as text and address. */
const LINKS: [message: string, ...links: [text: string, href: string][]][] = [
  ["see https://a.example/b?c=1#d now", ["https://a.example/b?c=1#d", "https://a.example/b?c=1#d"]],
  ["HTTP://A.example", ["HTTP://A.example", "http://a.example/"]],
  ["https://a.example.", ["https://a.example", "https://a.example/"]],
  [
    "https://a.example/x, https://b.example/y!?",
    ["https://a.example/x", "https://a.example/x"],
    ["https://b.example/y", "https://b.example/y"],
  ],
  ["(https://a.example/x)", ["https://a.example/x", "https://a.example/x"]],
  ["[https://a.example/x].", ["https://a.example/x", "https://a.example/x"]],
  ["https://a.example/x_(y)", ["https://a.example/x_(y)", "https://a.example/x_(y)"]],
  ["(https://a.example/x_(y))", ["https://a.example/x_(y)", "https://a.example/x_(y)"]],
  ["“https://a.example/x”", ["https://a.example/x", "https://a.example/x"]],
  ["https://a.example/👍", ["https://a.example/", "https://a.example/"]],
  ["<https://a.example/>", ["https://a.example/", "https://a.example/"]],
  ["https://a.example/x\u202egnp", ["https://a.example/x", "https://a.example/x"]],
  ["write to ada@a.example.", ["ada@a.example", "mailto:ada@a.example"]],
  ["mailto:ada@a.example", ["mailto:ada@a.example", "mailto:ada@a.example"]],
  ["mailto:ada@a.example?body=x", ["mailto:ada@a.example", "mailto:ada@a.example"]],
];

const NO_LINKS = [
  "",
  "hello",
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)//https://a.example",
  "javascript:https://a.example/%0aalert(1)",
  "java\nscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:msgbox(1)",
  "file:///etc/passwd",
  "blob:https://a.example/x",
  "view-source:https://a.example",
  "ftp://a.example/x",
  "//a.example/x",
  "xhttps://a.example",
  "http://",
  "https://.",
  "https:// a.example",
  "https://bank.example@evil.example/",
  "https://user:secret@evil.example/",
  "https://bank.example%2f@evil.example/",
  "javascript:mailto:ada@a.example",
  "mailto:",
  "mailto:<script>",
  "1.5@2",
];

test("finds web and email addresses, and leaves punctuation and brackets outside", () => {
  for (const [message, ...links] of LINKS) {
    expect([message, ...linksIn(message)]).toEqual([message, ...links]);
  }
});

test("makes no link of any other scheme, or of an address that hides where it leads", () => {
  for (const message of NO_LINKS) expect([message, linksIn(message)]).toEqual([message, []]);
});

test("reads messages that end in thousands of brackets without keeping their reader waiting", () => {
  const message = `https://a.example/${")".repeat(3900)}`;
  for (let count = 0; count < 100; count++) {
    expect(
      linkParts(message)
        .map(({ text }) => text)
        .join(""),
    ).toBe(message);
  }
});

test("loses no character of a message, and leads only to http, https and mailto", () => {
  const tokens = [
    "https://",
    "javascript:",
    "mailto:",
    "a.example",
    "@",
    "(",
    ")",
    "]",
    ".",
    " ",
    "\n",
    '"',
    "<",
    "\\",
    "👍",
    "\u202e",
    "%",
    "data:",
  ];
  let seed = 1;
  for (let round = 0; round < 5000; round++) {
    let message = "";
    for (let count = 0; count < 8; count++) {
      seed = (seed * 48_271) % 2_147_483_647;
      message += tokens[seed % tokens.length];
    }
    const parts = linkParts(message);
    expect(parts.map(({ text }) => text).join("")).toBe(message);
    for (const { href } of parts) if (href !== null) expect(href).toMatch(/^(https?:\/\/[^/@]+\/|mailto:)/);
  }
});

function linksIn(message: string): [string, string][] {
  return linkParts(message).flatMap(({ text, href }) => (href === null ? [] : [[text, href]]));
}
