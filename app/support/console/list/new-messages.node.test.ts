import { expect, test } from "vitest";
import { inboxRow } from "#tests/workerd/inbox-row.ts";
import { nothingAnnounced, takeNewMessages } from "./new-messages.ts";

const ROW = inboxRow(1, { updatedAt: 200, unread: true });

test("an agent is told once of what is new, and not of what was there when the page was opened", () => {
  const heard = nothingAnnounced(100);
  expect(takeNewMessages(heard, [{ ...ROW, updatedAt: 100 }], "me")).toEqual([]);
  expect(takeNewMessages(heard, [ROW], "me")).toEqual([ROW]);
  expect(takeNewMessages(heard, [ROW], "me")).toEqual([]);
  const more = { ...ROW, updatedAt: 300 };
  expect(takeNewMessages(heard, [more], "me")).toEqual([more]);
});

test("what is read, closed or a colleague's is no news, until it comes to this agent", () => {
  const heard = nothingAnnounced(100);
  for (const change of [{ unread: false }, { status: "closed" as const }, { assigneeId: "other" }]) {
    expect(takeNewMessages(heard, [{ ...ROW, ...change }], "me")).toEqual([]);
  }
  const mine = { ...ROW, assigneeId: "me" };
  expect(takeNewMessages(heard, [mine], "me")).toEqual([mine]);
});
