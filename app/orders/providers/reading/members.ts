import type { Convention } from "#app/orders/providers/conventions/convention.ts";
import { wordKey } from "./reader.ts";

/** The members of an object by their names as `wordKey` returns them. Of two with one name, the first that says something. */
export type Members = ReadonlyMap<string, unknown>;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function membersOf(value: unknown): Members {
  const members = new Map<string, unknown>();
  if (!isRecord(value)) return members;
  for (const name of Object.keys(value)) {
    const key = wordKey(name);
    if (!saysSomething(members.get(key))) members.set(key, value[name]);
  }
  return members;
}

function saysSomething(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Returns the first member of these names that says something. */
export function memberOf(members: Members, names: readonly string[]): unknown {
  for (const name of names) {
    const member = members.get(name);
    if (saysSomething(member)) return member;
  }
  return undefined;
}

/** Returns the objects that an answer may stand in: itself, and what its wrappers hold, the outermost first. */
export function wrappedIn(body: unknown, convention: Convention, depth = 3): unknown[] {
  if (!isRecord(body) || depth === 0) return [body];
  const members = membersOf(body);
  const inner = convention.members.wrapper.map((name) => members.get(name)).filter((one) => typeof one === "object");
  return [body, ...inner.filter((one) => one !== null).flatMap((one) => wrappedIn(one, convention, depth - 1))];
}

/** Returns a list's only element, and anything else as it is. */
export function onlyOf(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/**
 * Returns whether a call succeeded, as its flags, codes and words say, or null if they say nothing or contradict each
 * other. A status of 100 and more is an HTTP status.
 */
export function markOf(members: Members, convention: Convention): "success" | "failure" | null {
  const said = new Set<"success" | "failure">();
  for (const name of convention.members.success) {
    const one = markIn(members.get(name), convention);
    if (one) said.add(one);
  }
  const [only] = said;
  return said.size === 1 ? (only ?? null) : null;
}

/** Returns whether flags, codes or words say that a call failed, whatever others beside them say. */
export function hasFailed(members: Members, convention: Convention): boolean {
  return convention.members.success.some((name) => markIn(members.get(name), convention) === "failure");
}

/** Returns what a flag, a code or a word says of a call, or null. */
export function markIn(value: unknown, { marks }: Convention): "success" | "failure" | null {
  if (typeof value === "number" && value >= 100) return value < 300 ? "success" : value >= 400 ? "failure" : null;
  if (typeof value !== "boolean" && typeof value !== "number" && typeof value !== "string") return null;
  const word = wordKey(String(value));
  if (/^[245]\d\d$/.test(word)) return word.startsWith("2") ? "success" : "failure";
  return marks.success.includes(word) ? "success" : marks.failure.includes(word) ? "failure" : null;
}

/** Numbers, UUIDs and short codes with a digit. A comma would make two ids of one in a call for several. */
const PROVIDER_ID = /^[a-z\d][\w.-]{0,63}$/i;

/** Returns the id of an order or refill, or null for 0, negative numbers, words, and anything that can't be asked for. */
export function parseProviderId(value: unknown): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  const id = typeof value === "string" ? value.trim() : "";
  return PROVIDER_ID.test(id) && /\d/.test(id) && !/^[0.-]{1,64}$/.test(id) ? id : null;
}

/** Returns an id as it is compared, also one that nobody would give. */
export function idText(value: unknown): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === "string" && value.trim() !== "" ? value.trim() : null;
}
