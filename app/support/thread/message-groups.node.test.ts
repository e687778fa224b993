import { expect, test } from "vitest";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { goesOn } from "./message-groups.ts";

const NOON = new Date(2026, 10, 23, 12).getTime();

test("goes on from the same sender soon after, and from nobody else", () => {
  const first = message("admin", "Bo", NOON);
  expect(goesOn(first, undefined)).toBe(false);
  expect(goesOn(message("admin", "Bo", NOON + 60_000), first)).toBe(true);
  expect(goesOn(message("admin", "Bo", NOON + 5 * 60_000), first)).toBe(false);
  expect(goesOn(message("admin", "Ada", NOON + 1), first)).toBe(false);
  expect(goesOn(message("user", "Bo", NOON + 1), first)).toBe(false);
});

test("names the sender again after midnight", () => {
  const midnight = new Date(2026, 10, 24).getTime();
  expect(goesOn(message("user", "Ola", midnight), message("user", "Ola", midnight - 1000))).toBe(false);
  expect(goesOn(message("user", "Ola", midnight + 1000), message("user", "Ola", midnight))).toBe(true);
});

function message(sender_type: SupportMessage["sender_type"], sender_name: string, created_at: number): SupportMessage {
  return { seq: 1, sender_type, sender_name, created_at, message: "Hello" } as SupportMessage;
}
