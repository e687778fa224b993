import { expect, test } from "vitest";
import { reconnectDelay, storeAfter, storeDelay } from "#app/support/protocol/back-off.ts";
import type { History, SupportMessage } from "#app/support/protocol/frames.ts";
import { presenceOf } from "#app/support/room/presence.ts";
import { freshBucket, take } from "#app/support/room/room-rate-limit.ts";
import { badgeText } from "#app/support/thread/badge-text.ts";
import { isChatShown } from "#app/support/widget/visibility.ts";
import { acknowledge, addMessage, EMPTY, reconcile, unreadCount, withPending, withRead } from "./conversation.ts";

function said(seq: number, sender_type: SupportMessage["sender_type"] = "user"): SupportMessage {
  return { seq, client_id: `c${seq}`, sender_type, sender_name: "", message: `message ${seq}`, created_at: seq };
}

function history(epoch: string, ...messages: SupportMessage[]): History {
  const session = {
    session_id: "anon_1_x",
    user_name: "Ada",
    user_email: null,
    status: "open" as const,
    updated_at: 1,
  };
  return { epoch, session, lastSeq: messages.at(-1)?.seq ?? 0, readSeq: { user: 0, admin: 0 }, messages };
}

const waiting = { clientId: "c2", body: "message 2", createdAt: 1, state: "sending" as const };

test("reconnecting waits 1, 2, 5 and then 10 seconds, give or take the jitter", () => {
  expect([0, 1, 2, 3, 99].map((failures) => reconnectDelay(failures, 0.5))).toEqual([1000, 2000, 5000, 10_000, 10_000]);
  expect(reconnectDelay(0, 0)).toBe(850);
  expect(reconnectDelay(0, 0.999)).toBeGreaterThan(1100);
});

test("the first message of a while is stored at once, and a room that goes on talking stores every two seconds", () => {
  const after = [Number.POSITIVE_INFINITY, 10_000, 2000, 500, 0].map((ms) => storeAfter(ms, 1, 0));
  expect(after).toEqual([150, 150, 150, 1500, 2000]);
});

test("a room that talks faster than people do stores every five seconds, and no two rooms in step", () => {
  expect([10_000, 1000, 0].map((ms) => storeAfter(ms, 10, 0))).toEqual([150, 4000, 5000]);
  expect(storeAfter(0, 10, 0.999)).toBeLessThan(3600);
});

test("the outbox doubles its wait up to a minute", () => {
  expect([0, 1, 2, 20].map(storeDelay)).toEqual([500, 1000, 2000, 60_000]);
});

test("messages that are there already are dropped, and a missing one is noticed", () => {
  const { conversation } = reconcile(EMPTY, history("e", said(1), said(2)), "user");
  expect(addMessage(conversation, said(2), "user").conversation.messages).toHaveLength(2);
  expect(addMessage(conversation, said(4), "user")).toEqual({ conversation, gap: true });
  expect(addMessage(conversation, said(3), "user").conversation.messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test("an acknowledgement makes the waiting message a sent one, and a second one changes nothing", () => {
  const { conversation } = reconcile(EMPTY, history("e", said(1)), "user");
  const ack = { clientId: "c2", seq: 2, created_at: 5 };
  const me = { side: "user" as const, name: "Ada" };
  const once = acknowledge(withPending(conversation, waiting), ack, me).conversation;
  expect(once.pending).toEqual([]);
  expect(once.messages.at(-1)).toMatchObject({ seq: 2, message: "message 2", sender_name: "Ada" });
  expect(acknowledge(once, ack, me).conversation).toEqual(once);
});

test("a message whose acknowledgement was lost is no longer waiting after the resume", () => {
  const { conversation } = reconcile(EMPTY, history("e", said(1)), "user");
  const resumed = reconcile(withPending(conversation, waiting), history("e", said(2)), "user").conversation;
  expect(resumed.pending).toEqual([]);
  expect(resumed.messages).toHaveLength(2);
});

test("the other side's client id does not settle mine", () => {
  const { conversation } = reconcile(EMPTY, history("e", said(1)), "user");
  const after = addMessage(withPending(conversation, waiting), said(2, "admin"), "user").conversation;
  expect(after.pending).toEqual([waiting]);
});

test("a conversation of another epoch replaces the old one, and is asked for from the start when cut short", () => {
  const { conversation } = reconcile(EMPTY, history("old", said(1), said(2)), "user");
  expect(reconcile(conversation, history("new", said(1, "system")), "user")).toMatchObject({
    restart: false,
    conversation: { epoch: "new", messages: [said(1, "system")] },
  });
  expect(reconcile(conversation, history("new", said(3)), "user").restart).toBe(true);
});

test("unread counts the other side's messages after the mark, and the mark never goes back", () => {
  const all = history("e", said(1, "system"), said(2, "admin"), said(3), said(4, "admin"));
  const { conversation } = reconcile(EMPTY, all, "user");
  expect(unreadCount(conversation, "user")).toBe(2);
  expect(unreadCount(conversation, "admin")).toBe(1);
  const read = withRead(conversation, "user", 2);
  expect(unreadCount(read, "user")).toBe(1);
  expect(unreadCount(withRead(read, "user", 1), "user")).toBe(1);
});

test("the badge is exact up to nine", () => {
  expect([1, 9, 10, 250].map(badgeText)).toEqual(["1", "9", "9+", "9+"]);
});

test("the chat is shown to visitors outside the dashboard, sign-in and onboarding, and to customers everywhere", () => {
  expect(["/", "/api/docs", "/authors"].every((path) => isChatShown(path, false))).toBe(true);
  expect(["/dashboard", "/auth/login", "/onboarding", "/auth"].some((path) => isChatShown(path, false))).toBe(false);
  expect(["/", "/dashboard", "/dashboard/orders"].every((path) => isChatShown(path, true))).toBe(true);
  expect(isChatShown("/admin/support/x", true)).toBe(false);
});

test("a socket that stopped pinging does not count as present, and an agent with two tabs counts once", () => {
  const now = 1_000_000;
  const sockets = [
    { side: "user" as const, author: "a", name: "A", seenAt: now - 61_000 },
    { side: "admin" as const, author: "b", name: "B", seenAt: now - 30_000 },
    { side: "admin" as const, author: "b", name: "B", seenAt: now },
  ];
  expect(presenceOf(sockets, now)).toEqual({ user: false, agents: 1 });
});

test("a burst passes, a flood is refused and then closed, and patience is rewarded", () => {
  const bucket = freshBucket(0);
  const verdicts = Array.from({ length: 160 }, () => take(bucket, 0));
  expect(verdicts.indexOf("refuse")).toBe(60);
  expect(verdicts.indexOf("close")).toBe(159);
  expect(take(bucket, 1000)).toBe("ok");
});
