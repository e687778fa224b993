import ipaddr from "ipaddr.js";
import { cutText } from "#app/cut-text.ts";

export const MAX_RANGES = 20;

export type RangesParsed = { ok: true; ranges: string[] } | { ok: false; error: string };

/**
 * Parses addresses and CIDR ranges, one per line or separated by commas or spaces. Returns each range once, as its network
 * address and prefix length; a single address keeps no prefix.
 */
export function parseRanges(text: string): RangesParsed {
  const written = text.split(/[\s,;]+/).filter((part) => part !== "");
  const ranges = new Set<string>();
  for (const part of written) {
    const range = parseRange(part);
    if (!range)
      return { ok: false, error: `“${cutText(part, 60)}” is not an IP address or a range like 203.0.113.0/24` };
    ranges.add(textOf(range));
    if (ranges.size > MAX_RANGES) return { ok: false, error: `Use at most ${MAX_RANGES} addresses and ranges` };
  }
  return { ok: true, ranges: [...ranges] };
}

/** Returns whether the address is in one of the ranges, which `parseRanges` returned. Null is in none. */
export function isInRanges(address: string | null, ranges: readonly string[]): boolean {
  const parsed = address === null ? null : parseAddress(address);
  return parsed !== null && ranges.some((range) => contains(range, parsed));
}

const IPV4_NETWORK_BITS = 24;
/** The prefix that internet providers commonly assign to one site. */
const IPV6_NETWORK_BITS = 48;

/** Returns the network of an address, "203.0.113.0/24" or "2001:db8:1::/48", or null if it is not an address. */
export function networkOf(address: string | null): string | null {
  const parsed = address === null ? null : parseAddress(address);
  if (!parsed) return null;
  const bits = parsed.kind() === "ipv4" ? IPV4_NETWORK_BITS : IPV6_NETWORK_BITS;
  return textOf({ address: parsed, bits });
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = { address: Address; bits: number };

/** Returns null for anything but four decimal parts or an IPv6 address without a zone. An IPv4-mapped address is IPv4. */
function parseAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  if (!text.includes(":") || text.includes("%") || !ipaddr.IPv6.isValid(text)) return null;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

const MAPPED_BITS = 96;

function parseRange(text: string): Range | null {
  const [host = "", prefix, ...more] = text.split("/");
  const address = parseAddress(host);
  if (!address || more.length > 0) return null;
  const width = address.kind() === "ipv4" ? 32 : 128;
  if (prefix === undefined) return { address, bits: width };
  if (!/^\d{1,3}$/.test(prefix)) return null;
  // The prefix of an IPv4-mapped range counts the 96 bits before the IPv4 address.
  const isMapped = address.kind() === "ipv4" && host.includes(":");
  const bits = Number(prefix) - (isMapped ? MAPPED_BITS : 0);
  return bits >= 0 && bits <= width ? { address, bits } : null;
}

function contains(range: string, address: Address): boolean {
  const parsed = parseRange(range);
  return parsed !== null && parsed.address.kind() === address.kind() && address.match(parsed.address, parsed.bits);
}

function textOf({ address, bits }: Range): string {
  const width = address.kind() === "ipv4" ? 32 : 128;
  const bytes = address.toByteArray().map((byte, index) => byte & mask(bits - 8 * index));
  const network = ipaddr.fromByteArray(bytes);
  const text = network.kind() === "ipv6" ? (network as ipaddr.IPv6).toRFC5952String() : network.toString();
  return bits === width ? text : `${text}/${bits}`;
}

/** Returns the mask of a byte of which the first `bits` count. */
function mask(bits: number): number {
  return (0xff00 >> Math.min(8, Math.max(0, bits))) & 0xff;
}
