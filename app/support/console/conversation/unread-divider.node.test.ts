import { expect, test } from "vitest";
import { firstUnread } from "./unread-divider.ts";

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
