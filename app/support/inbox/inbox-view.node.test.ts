import { expect, test } from "vitest";
import { inboxRow as row } from "#tests/workerd/inbox-row.ts";
import { cursorOf, INBOX_VIEWS, type InboxRow, isInView, parseCursor, placeOf, withChanges } from "./inbox-view.ts";

const ME = { agentId: "me", now: 50 };
const ids = (rows: InboxRow[]) => rows.map(({ id }) => id);

test("moves changed rows to their place and drops those that left the view or were deleted", () => {
  const list = { rows: [row(5), row(4), row(3)], next: null };
  const change = (asked: string[], changed: InboxRow[], view: "open" | "mine" | "unassigned" = "open") =>
    ids(withChanges(list, { asked, changed, view, agentId: "me", now: 50 }));
  expect(change(["s3"], [row(3, { updatedAt: 99 })])).toEqual([3, 5, 4]);
  expect(change(["s4"], [row(4, { status: "closed" })])).toEqual([5, 3]);
  expect(change(["s4"], [])).toEqual([5, 3]);
  expect(change(["s9"], [row(9)])).toEqual([9, 5, 4, 3]);
  expect(change(["s5"], [row(5, { assigneeId: "me" })], "unassigned")).toEqual([4, 3]);
  expect(change(["s5"], [row(5, { assigneeId: "you" })], "mine")).toEqual([4, 3]);
});

test("leaves rows below the end of an incomplete list to the next page", () => {
  const list = { rows: [row(5), row(4)], next: cursorOf(placeOf(row(4), 50)) };
  const changed = withChanges(list, {
    asked: ["s1", "s9"],
    changed: [row(1), row(9)],
    view: "open",
    agentId: "me",
    now: 50,
  });
  expect(ids(changed)).toEqual([9, 5, 4]);
});

test("puts a conversation into the views for its status and assignee", () => {
  const mine = row(1, { assigneeId: "me" });
  expect(["open", "mine"].every((view) => isInView(mine, view as "open", ME))).toBe(true);
  expect(["unassigned", "closed"].some((view) => isInView(mine, view as "open", ME))).toBe(false);
  expect(isInView(row(1), "unassigned", ME)).toBe(true);
  expect(isInView(row(1, { status: "closed", assigneeId: "me" }), "mine", ME)).toBe(false);
});

test("hides a snoozed conversation from the open lists until its time, and shows it among the snoozed ones", () => {
  const views = (change: Partial<InboxRow>) =>
    INBOX_VIEWS.filter((view) => isInView(row(1, { assigneeId: "me", ...change }), view, ME));
  expect(views({ snoozedUntil: ME.now + 1 })).toEqual(["snoozed"]);
  expect(views({ snoozedUntil: ME.now })).toEqual(["open", "mine"]);
  expect(views({ snoozedUntil: ME.now + 1, status: "closed" })).toEqual(["closed"]);
});

test("puts overdue conversations on top, the longest overdue first, as the time comes", () => {
  const rows = [row(9), row(1, { respondBy: 45 }), row(2, { respondBy: 40 }), row(3, { respondBy: 60 })];
  const sorted = (now: number, change: Partial<InboxRow> = {}) => {
    const changed = rows.map((one) => ({ ...one, ...change }));
    return ids(withChanges({ rows: [], next: null }, { asked: [], changed, view: "open", agentId: "me", now }));
  };
  expect(sorted(39)).toEqual([9, 3, 2, 1]);
  expect(sorted(50)).toEqual([2, 1, 9, 3]);
  expect(sorted(60)).toEqual([2, 1, 3, 9]);
  expect(sorted(60, { respondBy: 0 })).toEqual([9, 3, 2, 1]);
});

test("accepts nothing but two numbers as a cursor", () => {
  expect(parseCursor(cursorOf(placeOf(row(7), 0)))).toEqual({ isOverdue: false, at: 70, id: 7 });
  expect(parseCursor("o5.7")).toEqual({ isOverdue: true, at: 5, id: 7 });
  for (const bad of [null, "", "7", "a.b", "1.2.3", "1.-2", "1; drop"]) expect(parseCursor(bad)).toBeNull();
});
