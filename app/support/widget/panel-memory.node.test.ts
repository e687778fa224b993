import { expect, test } from "vitest";
import type { SupportMessage } from "#app/support/protocol/frames.ts";
import { threadEnd } from "./panel-memory.ts";

const session = {
  session_id: "anon_1",
  user_name: "Ada",
  user_email: null,
  status: "open",
  updated_at: 1,
} as const;
const readSeq = { user: 0, admin: 0 };

test("remembers the last 30 messages, without their files", () => {
  const file = { id: "f", name: "cat.png", type: "image/png", size: 3 };
  const messages = Array.from({ length: 40 }, (_, at) => messageOf(at + 1, `text ${at + 1}`));
  const end = threadEnd({
    session,
    readSeq,
    messages: [...messages.slice(0, 39), { ...messageOf(40, "cat.png"), file }],
  });
  expect(end.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 30 }, (_, at) => at + 11));
  expect(end.messages.at(-1)).toEqual(messageOf(40, "cat.png"));
  expect(end.lastSeq).toBe(40);
});

test("remembers at most 40,000 characters", () => {
  const messages = Array.from({ length: 30 }, (_, at) => messageOf(at + 1, "x".repeat(4000)));
  expect(threadEnd({ session, readSeq, messages }).messages.map(({ seq }) => seq)).toEqual(
    Array.from({ length: 10 }, (_, at) => at + 21),
  );
  expect(threadEnd({ session, readSeq, messages: [] })).toMatchObject({ lastSeq: 0, messages: [] });
});

function messageOf(seq: number, message: string): SupportMessage {
  return { seq, client_id: `c${seq}`, sender_type: "user", sender_name: "Ada", message, created_at: seq };
}
