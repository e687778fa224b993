import { expect, test } from "vitest";
import { inboxRow } from "#tests/workerd/inbox-row.ts";
import { nothingAnnounced, takeNewMessages } from "./new-messages.ts";

const ROW = inboxRow(1, { updatedAt: 200, unread: true });

test("announces new messages once, and none that were there when the page was loaded", () => {
  const announced = nothingAnnounced(100);
  expect(takeNewMessages(announced, [{ ...ROW, updatedAt: 100 }], "me")).toEqual([]);
  expect(takeNewMessages(announced, [ROW], "me")).toEqual([ROW]);
  expect(takeNewMessages(announced, [ROW], "me")).toEqual([]);
  const more = { ...ROW, updatedAt: 300 };
  expect(takeNewMessages(announced, [more], "me")).toEqual([more]);
});

test("announces no read, closed or colleague's conversation until it is this agent's", () => {
  const announced = nothingAnnounced(100);
  for (const change of [{ unread: false }, { status: "closed" as const }, { assigneeId: "other" }]) {
    expect(takeNewMessages(announced, [{ ...ROW, ...change }], "me")).toEqual([]);
  }
  const mine = { ...ROW, assigneeId: "me" };
  expect(takeNewMessages(announced, [mine], "me")).toEqual([mine]);
});
