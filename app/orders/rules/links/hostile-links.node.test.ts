import { expect, test } from "vitest";
import { seededRandom } from "#tests/faults/seeded-random.ts";
import { trimLink } from "./link-text.ts";
import { readLink } from "./read-link.ts";
import { judgeLink } from "./service-links.ts";
import { NETWORKS, type Network } from "./url-forms.ts";

const HOSTS = Object.values(NETWORKS).flatMap(({ hosts }) => hosts.split(" "));
const PIECES = [
  ..."/?#&=@.:;%+-_~![]{}|\\^`'\"<>$,*()",
  ...[
    "//",
    "..",
    "%00",
    "%2F",
    "%40",
    "%",
    "%E0%A4%A",
    "@@",
    "p/",
    "reel/",
    "watch?v=",
    "intl-de/",
    "stories/",
    "status/1",
  ],
  ...[
    "a",
    "A1_-",
    "0".repeat(40),
    "é",
    "кафе",
    "👩‍🚀",
    "\u202e",
    "\u0000",
    "\ud800",
    " ",
    "\t",
    "https://",
    "javascript:",
    "x".repeat(300),
  ],
];
const SERVICE = { network: "Instagram", category: "Likes", name: "Instagram likes", linkKind: "post" } as const;

test("reads hostile text without an error, and normalizes what it knows once and for all", () => {
  const { pick, upTo } = seededRandom(2100);
  let recognized = 0;
  // One assertion for all, because each takes longer than what it checks.
  const wrong: object[] = [];
  for (let run = 0; run < 60_000; run++) {
    const scheme = pick(["https://", "http://", "//", "", "HTTPS://www.", "https://m.", "ftp://", "https://a@"]);
    const pieces = Array.from({ length: upTo(8) }, () => pick(PIECES)).join("");
    const text = `${scheme}${pick(HOSTS)}${pick(["/", "", ":8443/", "./", "?"])}${pieces}`;
    const read = readLink(text);
    if (read.target === "unknown") {
      if (read.link !== trimLink(text)) wrong.push({ text, read });
      continue;
    }
    recognized++;
    const again = readLink(read.link);
    const isSame = again.network === read.network && again.target === read.target && again.link === read.link;
    if (!isSame) wrong.push({ text, read, again });
  }
  expect(wrong).toEqual([]);
  expect(recognized).toBeGreaterThan(10_000);
});

test("reads each form of each network by made-up ids, and normalizes it once and for all", () => {
  const ids: Record<string, string> = { id: "123456", wall: "wall-1_2", photo: "photo-1_2", video: "video-1_2" };
  Object.assign(ids, {
    clip: "clip-1_2",
    club: "club12",
    html: "12.html",
    invite: "+abcdefgh",
    page: "more",
    tab: "more",
    v: "abcdefghijk",
    cut: "abc12",
    uc: `UC${"a1".repeat(11)}`,
    phone: "+4915112345678",
    overlay: "video-1_2/more",
    oid: "-12",
    at: "@name1",
    story: "story-1_2",
    shelf: "albums12",
  });
  for (const [network, { home, forms, user }] of Object.entries(NETWORKS)) {
    const name = user.test("@name1") ? "@name1" : user.test("name1") ? "name1" : "123456";
    for (const form of forms) {
      const path = form.slice(form.indexOf(" ") + 1).split(" > ")[0] ?? "";
      const filled = path.replace(
        /\{(\w+)\}/g,
        (_, token) =>
          ids[token] ?? (token === "user" ? name : token === "topic" || token === "number" ? "12" : "abc12"),
      );
      const read = readLink(`${home}/${filled.replace("*", "x").replace(/[!]|\|[^/?=]+/g, "")}`);
      const again = readLink(read.link);
      expect(again.target, `${network}: ${form}`).toBe(read.target);
      expect(again.link, `${network}: ${form}`).toBe(read.link);
    }
  }
});

// A pattern that backtracks would outlast the test.
test("reads text of 13 bytes to 100 kB in linear time", () => {
  const repeats = [
    "a",
    "/",
    "a/",
    "p/",
    "?v=",
    "&a=b",
    "@",
    ".",
    "-",
    "%40",
    "www.",
    "intl-de/",
    "{user}",
    "\t",
    "a.",
    "_a-",
  ];
  let judged = 0;
  for (const repeated of repeats) {
    for (const size of [13, 100, 1000, 1990, 10_000, 100_000]) {
      const filling = repeated.repeat(Math.ceil(size / repeated.length)).slice(0, size);
      for (const text of [filling, `https://${filling}`, ...HOSTS.map((host) => `https://${host}/${filling}`)]) {
        const { read, verdict } = judgeLink(SERVICE, text);
        if (text.trim().length > 2000) expect([read.target, verdict]).toEqual(["unknown", "unsure"]);
        judged++;
      }
    }
  }
  expect(judged).toBeGreaterThan(3000);
});

test("takes a name for the network of its service alone", () => {
  for (const network of Object.keys(NETWORKS) as Network[]) {
    expect(readLink(NETWORKS[network].home).target, network).not.toBe("site");
  }
});
