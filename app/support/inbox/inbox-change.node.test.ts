import { expect, test } from "vitest";
import { inboxRow } from "#tests/workerd/inbox-row.ts";
import { type InboxChange, parseInboxHint, withInboxChange } from "./inbox-change.ts";
import { type InboxPage, type InboxRow, MENTIONS_COUNTED } from "./inbox-view.ts";

const NOW = 1_800_000_000_000;
const SHOWN = { view: "open" as const, filter: null, agentId: "bo" };

const row = (given: Partial<InboxRow>) => inboxRow(1, { sessionId: "one", updatedAt: NOW, ...given });
const mention = (sessionId: string, createdAt: number) => ({
  sessionId,
  noteNo: 1,
  userName: "Ada",
  authorName: "Cy",
  createdAt,
});
const page = (given: Partial<InboxPage> = {}): InboxPage => ({
  rows: [row({ id: 2, sessionId: "two", updatedAt: NOW - 1 }), row({ updatedAt: NOW - 2 })],
  next: null,
  counts: { open: 0, mine: 0, unassigned: 0, closed: 0, snoozed: 0, unread: 0 },
  readAt: NOW,
  changesAt: null,
  mentions: [],
  ...given,
});
const change = (given: Partial<InboxChange> = {}): InboxChange => ({
  row: row({ lastMessage: "hello", unread: true }),
  totals: [
    { status: "open", assigneeId: "", conversations: 2, unread: 1, isSnoozed: false },
    { status: "open", assigneeId: "bo", conversations: 3, unread: 2, isSnoozed: false },
    { status: "open", assigneeId: "cy", conversations: 5, unread: 4, isSnoozed: false },
    { status: "closed", assigneeId: "bo", conversations: 7, unread: 1, isSnoozed: false },
    { status: "open", assigneeId: "bo", conversations: 1, unread: 1, isSnoozed: true },
  ],
  changesAt: null,
  mentions: [],
  readAt: NOW,
  ...given,
});

test("puts a changed conversation in its place, and counts for each agent from the same totals", () => {
  const bo = withInboxChange(page(), "one", change(), SHOWN);
  expect(bo?.rows.map(({ sessionId, lastMessage }) => [sessionId, lastMessage])).toEqual([
    ["one", "hello"],
    ["two", ""],
  ]);
  expect(bo?.counts).toEqual({ open: 9, mine: 2, unassigned: 2, closed: 7, snoozed: 1, unread: 2 });
  const cy = withInboxChange(page(), "one", change(), { ...SHOWN, agentId: "cy" });
  expect(cy?.counts).toEqual({ open: 9, mine: 5, unassigned: 2, closed: 7, snoozed: 1, unread: 5 });
});

test("removes a conversation that was deleted, left the view or no longer fits the filter", () => {
  const shown = (given: Partial<InboxChange>, filter: { tag: string; assigneeId: string } | null = null) =>
    withInboxChange(page(), "one", change(given), { ...SHOWN, filter })?.rows.map(({ sessionId }) => sessionId);
  expect(shown({ row: null })).toEqual(["two"]);
  expect(shown({ row: row({ status: "closed" }) })).toEqual(["two"]);
  expect(shown({ row: row({ snoozedUntil: NOW + 1 }) })).toEqual(["two"]);
  expect(shown({ row: row({ tags: ["VIP"] }) }, { tag: "vip", assigneeId: "" })).toEqual(["one", "two"]);
  expect(shown({ row: row({}) }, { tag: "vip", assigneeId: "" })).toEqual(["two"]);
});

test("takes an agent's own mentions, and asks for the inbox where more are unread than it knows", () => {
  const known = page({ mentions: [mention("one", 5), mention("two", 4)] });
  const mentions = [
    { ...mention("one", 6), agentId: "bo" },
    { ...mention("one", 7), agentId: "cy" },
  ];
  expect(withInboxChange(known, "one", change({ mentions }), SHOWN)?.mentions).toEqual([
    mention("one", 6),
    mention("two", 4),
  ]);
  const many = Array.from({ length: MENTIONS_COUNTED + 1 }, (_, at) => mention("two", at));
  expect(withInboxChange(page({ mentions: many }), "one", change(), SHOWN)).toBeNull();
});

test("asks for the conversation of a hint without a change, or with one it can't read", () => {
  const hint = { type: "hint", session_id: "one" };
  expect(parseInboxHint(JSON.stringify({ ...hint, change: change() }))?.change).toEqual(change());
  expect(parseInboxHint(JSON.stringify(hint))).toEqual({ session_id: "one", change: null });
  expect(parseInboxHint(JSON.stringify({ ...hint, change: { row: {} } }))?.change).toBeNull();
  expect(parseInboxHint("{}")).toBeNull();
});
