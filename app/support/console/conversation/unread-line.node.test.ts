import { expect, test } from "vitest";
import { firstUnread } from "./unread-line.ts";

const said = (seq: number, sender_type: "user" | "admin" | "system") => ({
  seq,
  client_id: String(seq),
  sender_type,
  sender_name: "",
  message: "",
  created_at: seq,
});

test("the unread begins with the visitor's first message after what the team has seen or answered", () => {
  const messages = [
    said(1, "system"),
    said(2, "user"),
    said(3, "admin"),
    said(4, "user"),
    said(5, "system"),
    said(6, "user"),
  ];
  const from = (admin: number) => firstUnread({ messages, readSeq: { user: 0, admin } });
  expect(from(0)).toBe(4);
  expect(from(4)).toBe(6);
  expect(from(6)).toBeNull();
  expect(firstUnread({ messages: messages.slice(0, 1), readSeq: { user: 0, admin: 0 } })).toBeNull();
});
