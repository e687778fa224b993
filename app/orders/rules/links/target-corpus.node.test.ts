import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLink } from "./read-link.ts";
import { judgeLink } from "./service-links.ts";
import { NETWORKS, type Network } from "./url-forms.ts";

/**
 * Links in the shapes that downloaders and apps know: what a person sees in each, the words that name the one target of
 * its network, and where the shape was seen. A link of no target has the words "-". Ids and names are made up.
 */
const LINKS = readFileSync(join(import.meta.dirname, "target-corpus.tsv"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => line.split("\t"))
  .map(([link = "", network = "", target = "", words = "", source = ""]) => ({ link, network, target, words, source }));
const TARGETS = LINKS.filter(({ words }) => words !== "-");

test("recognizes each of 400 links in the shapes that downloaders know", () => {
  expect(LINKS.length).toBeGreaterThanOrEqual(400);
  expect(new Set(LINKS.map(({ link }) => link)).size).toBe(LINKS.length);
  expect(LINKS.filter(({ source }) => source === "")).toEqual([]);
  const missed = LINKS.filter(({ link, network, target }) => {
    const read = readLink(link);
    return read.target !== target || (read.network ?? "-") !== network;
  });
  expect(missed.map(({ link, network, target }) => [link, network, target, readLink(link)])).toEqual([]);
});

test("gives each target one key, however its link is written, and no two targets the same", () => {
  const keys = new Map<string, Set<string>>();
  const targets = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, at: string, one: string) =>
    map.set(at, (map.get(at) ?? new Set()).add(one));
  for (const { link, network, words } of TARGETS) {
    add(keys, `${network}: ${words}`, readLink(link).key);
    add(targets, readLink(link).key, `${network}: ${words}`);
  }
  const many = [...keys, ...targets].filter(([, found]) => found.size > 1);
  expect(many.map(([one, found]) => [one, ...found])).toEqual([]);
  expect(keys.size).toBeGreaterThan(100);
});

test("keeps target and key of a link in its usual form", () => {
  const changed = TARGETS.filter(({ link }) => {
    const [read, again] = [readLink(link), readLink(readLink(link).link)];
    return again.key !== read.key || again.target !== read.target || again.link !== read.link;
  });
  expect(changed.map(({ link }) => [link, readLink(link), readLink(readLink(link).link)])).toEqual([]);
});

test("refuses a page of no target for each kind of service of its network, and no link that it doesn't know", () => {
  for (const { link, network, target } of LINKS) {
    if (target !== "other" && target !== "unknown") continue;
    const name = NETWORKS[network as Network]?.name ?? "YouTube";
    for (const linkKind of ["profile", "channel", "post", "video"] as const) {
      const { verdict } = judgeLink({ network: name, category: name, name, linkKind }, link);
      expect(verdict, `${linkKind} ${link}`).toBe(target === "other" ? "wrong" : "unsure");
    }
  }
});

test("knows pages of no target on each network", () => {
  const without = (Object.keys(NETWORKS) as Network[]).filter((network) => !NETWORKS[network].elsewhere);
  // Its search and maps lead to places.
  expect(without).toEqual(["google"]);
});
