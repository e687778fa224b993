import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OrderType } from "#app/db/schema.server.ts";
import { readLink } from "./read-link.ts";
import { judgeLink, linkKindOf, linkNetworkOf } from "./service-links.ts";

/**
 * Links with the network and target that a person sees in them, and services as panels name them with the targets they
 * take. Ids and names are made up.
 */
const LINKS = rowsOf("link-corpus.tsv").map(([link = "", network = "", target = ""]) => ({ link, network, target }));
const SERVICES = rowsOf("service-corpus.tsv").map(([network = "", category = "", name = "", type, targets = ""]) => {
  const named = { network, category, name, type: type as OrderType };
  return { ...named, linkKind: linkKindOf(named), takes: targets.split(",") };
});
/** The networks' names in the corpus of links. */
const NETWORK_NAMES: Record<string, string> = { Twitter: "x", Website: "web" };
const KNOWN = LINKS.filter(({ target }) => target !== "unknown");

test("recognizes each of 400 links", () => {
  expect(LINKS.length).toBeGreaterThanOrEqual(400);
  expect(new Set(LINKS.map(({ link }) => link)).size).toBe(LINKS.length);
  const missed = LINKS.filter(({ link, network, target }) => {
    const read = readLink(link);
    return read.target !== target || (target !== "unknown" && read.network !== network);
  }).map(({ link, network, target }) => ({ link, expected: [network, target], read: readLink(link) }));
  expect(missed).toEqual([]);
});

test("keeps what tells a target from others, however a link is written", () => {
  for (const link of [
    "https://t.me/oakandash/6120?comment=48113",
    "https://www.facebook.com/photo/?fbid=1&comment_id=2",
  ]) {
    expect(readLink(link).link).toBe(link);
  }
  expect(readLink("bit.ly/3xYz#a").key).toBe(readLink("https://bit.ly/3xYz").key);
  expect(readLink("https://youtu.be/watch?v=hX2rVq81LmA")).toEqual(
    readLink("https://www.youtube.com/watch?v=hX2rVq81LmA"),
  );
});

test("refuses no right link", () => {
  const refused = pairs()
    .filter(({ isRight }) => isRight)
    .filter(({ service, link }) => judgeLink(service, link).verdict === "wrong");
  expect(refused.map(({ service, link }) => [service.name, service.linkKind, link])).toEqual([]);
});

test("calls links wrong for no service if only a request could tell", () => {
  const unknown = LINKS.filter(({ target }) => target === "unknown");
  expect(unknown.length).toBeGreaterThan(20);
  for (const { link } of unknown) {
    for (const service of SERVICES) expect(judgeLink(service, link).verdict, `${service.name} ${link}`).toBe("unsure");
  }
});

test.for([
  ["every network", () => true, 10_000],
  // Almost all pairs are of two networks, which are easy to tell apart: they would hide the rest.
  ["the service's own network", ({ isOwn }: { isOwn: boolean }) => isOwn, 1000],
] as const)("catches 99 of 100 links of a wrong kind on %s", ([, isJudged, atLeast]) => {
  const wrong = pairs().filter((pair) => !pair.isRight && isJudged(pair));
  const missed = wrong.filter(({ service, link }) => judgeLink(service, link).verdict !== "wrong");
  const caught = 1 - missed.length / wrong.length;
  console.log(`caught ${wrong.length - missed.length} of ${wrong.length} wrong links (${(caught * 100).toFixed(2)} %)`);
  expect(wrong.length).toBeGreaterThan(atLeast);
  expect(
    caught,
    JSON.stringify(missed.slice(0, 20).map(({ service, link }) => [service.name, link])),
  ).toBeGreaterThanOrEqual(0.99);
});

test("knows what each service takes from its type and names", () => {
  const unclear = SERVICES.filter((service) => service.linkKind === "any" || linkNetworkOf(service) === null);
  expect(unclear.map(({ name }) => name)).toEqual([]);
});

test("normalizes a link to one that stays as it is and leads to the same target", () => {
  for (const { link, target } of LINKS) {
    const read = readLink(link);
    const again = readLink(read.link);
    expect(again, link).toEqual({ ...again, link: read.link, network: read.network, target });
    if (read.target !== "unknown" && read.target !== "other" && read.target !== "site")
      expect(again.key, link).toBe(read.key);
  }
});

function pairs() {
  return SERVICES.flatMap((service) => {
    const own = NETWORK_NAMES[service.network] ?? service.network.toLowerCase();
    return KNOWN.map(({ link, network, target }) => ({
      service,
      link,
      isOwn: network === own,
      isRight: network === own && service.takes.includes(target),
    }));
  });
}

function rowsOf(file: string): string[][] {
  const text = readFileSync(join(import.meta.dirname, file), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"));
}
