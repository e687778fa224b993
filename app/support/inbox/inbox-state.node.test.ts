import { expect, test } from "vitest";
import { inboxRow } from "#tests/workerd/inbox-row.ts";
import type { InboxChange } from "./inbox-change.ts";
import { type InboxEvent, type InboxState, newInbox, reduceInbox } from "./inbox-state.ts";
import type { InboxPage, InboxRow } from "./inbox-view.ts";

const NOW = 1_800_000_000_000;
const SHOWN = { view: "open" as const, filter: null, agentId: "bo" };
const COUNTS = { open: 0, mine: 0, unassigned: 0, closed: 0, snoozed: 0, unread: 0 };

const row = (id: number, given: Partial<InboxRow> = {}) =>
  inboxRow(id, { sessionId: `s${id}`, updatedAt: NOW - id, ...given });
const page = (rows: InboxRow[], given: Partial<InboxPage> = {}): InboxPage => ({
  rows,
  next: null,
  counts: COUNTS,
  readAt: NOW,
  changesAt: null,
  mentions: [],
  ...given,
});
const changed = (id: number, readAt: number): InboxEvent => {
  const change: InboxChange = {
    row: row(id, { lastMessage: "new", updatedAt: readAt }),
    totals: [],
    changesAt: null,
    mentions: [],
    readAt,
  };
  return { type: "changed", sessionId: `s${id}`, change, shown: SHOWN };
};

test("keeps a hint's change when a page that was read before it comes after it", () => {
  const later = live(newInbox(page([row(1)])), changed(2, NOW), {
    type: "loaded",
    page: page([row(1), row(2)], { readAt: NOW - 1 }),
    shown: SHOWN,
  });
  expect(shown(later)).toEqual(["s2 new", "s1 "]);
});

test("keeps no change that a page read after it has, nor one older than a minute", () => {
  const afterIt = page([row(1), row(2)], { readAt: NOW + 1001 });
  const loaded = (of: InboxPage): InboxEvent => ({ type: "loaded", page: of, shown: SHOWN });
  expect(shown(live(newInbox(page([])), changed(2, NOW), loaded(afterIt)))).toEqual(["s1 ", "s2 "]);
  const old = live(newInbox(page([])), changed(2, NOW), changed(1, NOW + 60_001));
  expect([...old.recent.keys()]).toEqual(["s1"]);
  const again = live(newInbox(page([])), changed(2, NOW), changed(1, NOW), changed(2, NOW + 1));
  expect([...again.recent.keys()]).toEqual(["s1", "s2"]);
});

test("replaces conversations that were read again, and removes those that are gone", () => {
  const state = live(newInbox(page([row(1), row(2), row(3)], { next: "1.1" })), {
    type: "someRead",
    ids: ["s1", "s2"],
    page: page([row(2, { lastMessage: "new" })], { counts: { ...COUNTS, open: 2 } }),
    shown: SHOWN,
  });
  expect(shown(state)).toEqual(["s2 new", "s3 "]);
  expect(state.page).toMatchObject({ next: "1.1", counts: { open: 2 } });
});

test("appends the next page once, and none that follows a list that was replaced meanwhile", () => {
  const first = newInbox(page([row(1), row(2)], { next: "cursor" }));
  const next: InboxEvent = { type: "moreRead", after: "cursor", page: page([row(2), row(3)], { next: "end" }) };
  const grown = live(first, { type: "moreAsked" }, next);
  expect(shown(grown)).toEqual(["s1 ", "s2 ", "s3 "]);
  expect([grown.more, grown.page.next]).toEqual(["idle", "end"]);
  expect(shown(live(grown, next))).toEqual(["s1 ", "s2 ", "s3 "]);
});

test("says that the next page is being read, or could not be, until the list is read anew", () => {
  const asked = live(newInbox(page([row(1)], { next: "cursor" })), { type: "moreAsked" });
  expect(asked.more).toBe("loading");
  const failed = live(asked, { type: "moreRead", after: "cursor", page: null });
  expect([failed.more, shown(failed)]).toEqual(["failed", ["s1 "]]);
  expect(live(failed, { type: "allRead", page: page([row(2)]) })).toMatchObject({
    more: "idle",
    page: { rows: [{ sessionId: "s2" }] },
  });
  expect(live(asked, { type: "moreRead", after: null, page: null }).more).toBe("idle");
});

test("follows its connection", () => {
  const connections = (["connected", "disconnected", "signedOut"] as const).map(
    (type) => live(newInbox(page([])), { type }).connection,
  );
  expect(connections).toEqual(["live", "connecting", "signedOut"]);
});

function live(state: InboxState, ...events: InboxEvent[]): InboxState {
  return events.reduce(reduceInbox, state);
}

function shown({ page: { rows } }: InboxState): string[] {
  return rows.map(({ sessionId, lastMessage }) => `${sessionId} ${lastMessage}`);
}
