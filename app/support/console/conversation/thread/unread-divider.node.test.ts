import { expect, test } from "vitest";
import { firstUnread, unreadBeforeLoaded } from "./unread-divider.ts";

const message = (seq: number, sender_type: "user" | "admin" | "system") => ({
  seq,
  client_id: String(seq),
  sender_type,
  sender_name: "",
  message: "",
  created_at: seq,
});

test("starts with the visitor's first message after what the team has read or replied to", () => {
  const messages = [
    message(1, "system"),
    message(2, "user"),
    message(3, "admin"),
    message(4, "user"),
    message(5, "system"),
    message(6, "user"),
  ];
  const from = (admin: number) => firstUnread({ messages, readSeq: { user: 0, admin } });
  expect(from(0)).toBe(4);
  expect(from(4)).toBe(6);
  expect(from(6)).toBeNull();
  expect(firstUnread({ messages: messages.slice(0, 1), readSeq: { user: 0, admin: 0 } })).toBeNull();
});

test("asks for earlier messages if the first unread one may be among them, unless there are too many", () => {
  const messages = Array.from({ length: 100 }, (_, at) => message(901 + at, "user"));
  const needed = (admin: number, shown = messages) =>
    unreadBeforeLoaded({ messages: shown, readSeq: { user: 0, admin } });
  expect(needed(900)).toBeNull();
  expect(needed(899)).toBe(900);
  expect(needed(500)).toBe(501);
  expect(needed(300)).toBeNull();
  expect(needed(500, [...messages.slice(0, 50), message(951, "admin")])).toBeNull();
  expect(unreadBeforeLoaded({ messages: [message(1, "system")], readSeq: { user: 0, admin: 0 } })).toBeNull();
});
