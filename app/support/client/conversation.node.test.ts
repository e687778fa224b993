import { expect, test } from "vitest";
import type { History, SupportMessage } from "#app/support/protocol/frames.ts";
import { addEarlier, addMessage, EMPTY, reconcile, unreadCount, withRead } from "./conversation.ts";

function messageOf(seq: number, sender_type: SupportMessage["sender_type"] = "user"): SupportMessage {
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

test("drops known messages and reports a missing one", () => {
  const { conversation } = reconcile(EMPTY, history("e", messageOf(1), messageOf(2)));
  expect(addMessage(conversation, messageOf(2))).toEqual({ conversation, gap: false });
  expect(addMessage(conversation, messageOf(4))).toEqual({ conversation, gap: true });
  expect(addMessage(conversation, messageOf(3)).conversation.messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
});

test("replaces a conversation of another epoch, and reads it from the start if its history was cut short", () => {
  const { conversation } = reconcile(EMPTY, history("old", messageOf(1), messageOf(2)));
  expect(reconcile(conversation, history("new", messageOf(1, "system")))).toMatchObject({
    restart: false,
    conversation: { epoch: "new", messages: [messageOf(1, "system")] },
  });
  expect(reconcile(conversation, history("new", messageOf(3))).restart).toBe(true);
});

test("counts the other side's messages past the read mark, which never moves back", () => {
  const all = history("e", messageOf(1, "system"), messageOf(2, "admin"), messageOf(3), messageOf(4, "admin"));
  const { conversation } = reconcile(EMPTY, all);
  expect(unreadCount(conversation, "user")).toBe(2);
  expect(unreadCount(conversation, "admin")).toBe(1);
  const read = withRead(conversation, "user", 2);
  expect(unreadCount(read, "user")).toBe(1);
  expect(unreadCount(withRead(read, "user", 1), "user")).toBe(1);
});

test("opens with the newest messages, goes on from them, and puts earlier ones before them without a gap", () => {
  const { conversation, restart } = reconcile(EMPTY, history("e", messageOf(8), messageOf(9)));
  expect(restart).toBe(false);
  expect(addMessage(conversation, messageOf(10))).toMatchObject({ gap: false });
  expect(addEarlier(conversation, history("e", messageOf(5), messageOf(6)))).toBe(conversation);
  expect(addEarlier(conversation, history("other", messageOf(7)))).toBe(conversation);
  const more = addEarlier(conversation, history("e", messageOf(6), messageOf(7)));
  expect(more.messages.map(({ seq }) => seq)).toEqual([6, 7, 8, 9]);
  expect(addEarlier(more, history("e", messageOf(6), messageOf(7)))).toBe(more);
});

test("starts over with the newest messages after missing too many, and loads those in between as earlier ones", () => {
  const { conversation } = reconcile(EMPTY, history("e", messageOf(1), messageOf(2)));
  const { conversation: later, restart } = reconcile(conversation, history("e", messageOf(8), messageOf(9)));
  expect([later.messages.map(({ seq }) => seq), restart]).toEqual([[8, 9], false]);
  const more = addEarlier(later, history("e", messageOf(6), messageOf(7)));
  expect(more.messages.map(({ seq }) => seq)).toEqual([6, 7, 8, 9]);
});
