import { createHash } from "node:crypto";
import { trimLink } from "./link-text.ts";
import { readLink } from "./read-link.ts";

/** As many as a Number holds exactly. Orders of two links rarely share a key, and a list of them shows the link. */
const KEY_BYTES = 6;

/** Returns a number that is the same for all forms of one link, by which an index finds its orders. Null for no link. */
export function linkKeyOf(link: string): number | null {
  const text = trimLink(link);
  if (text === "") return null;
  return createHash("sha256").update(readLink(text).key).digest().readUIntBE(0, KEY_BYTES);
}
