import { expect, test } from "vitest";
import { NO_EFFECTS } from "#app/support/protocol/reply-effects.ts";
import { fillReply, matchReplies } from "./reply-shortcuts.ts";

test("offers replies after a slash at the start, by shortcut first", () => {
  const replies = [
    { id: 1, shortcut: "refund", body: "Your refund is on its way", effects: NO_EFFECTS, version: 1 },
    { id: 2, shortcut: "Hello", body: "Hi {name}, {agent} here. No refund?", effects: NO_EFFECTS, version: 1 },
  ];
  const found = (draft: string) => matchReplies(draft, replies)?.map(({ id }) => id) ?? null;
  expect(found("/")).toEqual([1, 2]);
  expect(found("/HE")).toEqual([2]);
  expect(found("/refund")).toEqual([1, 2]);
  expect(found("/nothing")).toEqual([]);
  for (const draft of ["", "refund", "see /refund", "/refund now", "//"]) expect(found(draft)).toBeNull();
});

test("inserts the visitor's first name literally, even if it looks like a pattern", () => {
  const filled = fillReply("Hi {name}, {agent} here, {name}.", { visitor: "$& Doe", agent: "Bo" });
  expect(filled).toBe("Hi $&, Bo here, $&.");
});

test("expands no placeholders inside names, and keeps unknown ones", () => {
  const filled = fillReply("Hi {name}, {agent} here. {else}", { visitor: "{agent} Doe", agent: "{name}" });
  expect(filled).toBe("Hi {agent}, {name} here. {else}");
});
