import { expect, test } from "vitest";
import { DAY_MS } from "#app/time.ts";
import { isInRanges, MAX_RANGES, networkOf, parseRanges } from "./address-ranges.server.ts";
import { MAX_NETWORKS, MAX_NEW_PER_DAY, withNetwork } from "./key-networks.ts";

function ranges(text: string): string[] {
  const parsed = parseRanges(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.ranges;
}

test("normalizes addresses and ranges and drops repeated ones", () => {
  expect(
    ranges("203.0.113.7\n203.0.113.99/24, 203.0.113.0/24; 2001:DB8:0:0::1\r\n2001:db8:ffff::5/33 0.0.0.0/0 ::/0"),
  ).toEqual(["203.0.113.7", "203.0.113.0/24", "2001:db8::1", "2001:db8:8000::/33", "0.0.0.0/0", "::/0"]);
  expect(ranges(" \n ")).toEqual([]);
});

test("reads an IPv4-mapped IPv6 address as IPv4", () => {
  expect(ranges("::ffff:203.0.113.7 ::ffff:203.0.113.0/120 ::ffff:cb00:7109")).toEqual([
    "203.0.113.7",
    "203.0.113.0/24",
    "203.0.113.9",
  ]);
  expect(isInRanges("::ffff:203.0.113.7", ["203.0.113.0/24"])).toBe(true);
  expect(parseRanges("::ffff:203.0.113.0/95").ok).toBe(false);
});

test("refuses what is not an address or a range, and more than twenty", () => {
  for (const text of [
    "localhost",
    "1.2.3",
    "127.1",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "1.2.3.4/33",
    "1.2.3.4/-1",
    "1.2.3.4/24/24",
    "1.2.3.4/",
    "1.2.3.4/255.255.0.0",
    "::1/129",
    "fe80::1%eth0",
    ":::1",
    "1.2.3.256",
  ]) {
    expect(parseRanges(text), text).toMatchObject({ ok: false });
  }
  const many = Array.from({ length: MAX_RANGES + 1 }, (_, n) => `10.0.0.${n}`);
  expect(parseRanges(many.slice(1).join("\n")).ok).toBe(true);
  expect(parseRanges(many.join("\n"))).toEqual({ ok: false, error: "Use at most 20 addresses and ranges" });
});

test("matches addresses to ranges of their own family only", () => {
  const list = ranges("203.0.113.0/25 2001:db8::/32");
  expect(isInRanges("203.0.113.127", list)).toBe(true);
  expect(isInRanges("203.0.113.128", list)).toBe(false);
  expect(isInRanges("2001:db8:1::1", list)).toBe(true);
  expect(isInRanges("2001:db9::1", list)).toBe(false);
  expect(isInRanges("::1", ["0.0.0.0/0"])).toBe(false);
  expect(isInRanges("1.2.3.4", ["::/0"])).toBe(false);
  for (const none of [null, "", "unknown"]) expect(isInRanges(none, ["0.0.0.0/0", "::/0"])).toBe(false);
});

test("names the network of an address", () => {
  expect(networkOf("203.0.113.77")).toBe("203.0.113.0/24");
  expect(networkOf("::ffff:203.0.113.77")).toBe("203.0.113.0/24");
  expect(networkOf("2001:db8:1:2::3")).toBe("2001:db8:1::/48");
  expect(networkOf("nonsense")).toBeNull();
  expect(networkOf(null)).toBeNull();
});

test("remembers a bounded number of networks and records a bounded number of new ones a day", () => {
  let known: { network: string; at: number }[] = [];
  for (let n = 0; n < MAX_NEW_PER_DAY; n++) known = withNetwork(known, `10.0.${n}.0/24`, 1) ?? known;
  expect(known).toHaveLength(MAX_NEW_PER_DAY);
  expect(withNetwork(known, "10.0.0.0/24", 1)).toBeNull();
  expect(withNetwork(known, "10.1.0.0/24", DAY_MS)).toBeNull();
  expect(withNetwork(known, "10.1.0.0/24", DAY_MS + 1)?.[0]).toEqual({ network: "10.1.0.0/24", at: DAY_MS + 1 });
  const full = Array.from({ length: MAX_NETWORKS }, (_, n) => ({ network: `10.2.${n}.0/24`, at: 0 }));
  expect(withNetwork(full, "10.3.0.0/24", DAY_MS)).toHaveLength(MAX_NETWORKS);
});
