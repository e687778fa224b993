import { expect, test } from "vitest";
import { inboxRow } from "#tests/workerd/inbox-row.ts";
import { addressAfter } from "./next-conversation.ts";

const ROWS = [inboxRow(3), inboxRow(2), inboxRow(1)];

test("goes on to the next conversation in the list, from the last one to the one before it, then to the empty list", () => {
  expect(addressAfter("s3", ROWS, "mine", "?view=mine")).toBe("/admin/support/s2?view=mine");
  expect(addressAfter("s1", ROWS, "open", "")).toBe("/admin/support/s2");
  expect(addressAfter("s1", ROWS.slice(2), "open", "")).toBe("/admin");
});

test("stays in a conversation that was not opened from a list of open ones", () => {
  expect(addressAfter("other", ROWS, "open", "")).toBeNull();
  expect(addressAfter("s3", ROWS, "closed", "?view=closed")).toBeNull();
});
