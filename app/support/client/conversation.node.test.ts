import { expect, test } from "vitest";
import type { History, SupportMessage } from "#app/support/protocol/frames.ts";
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
