import { expect, test } from "vitest";
import { indexOfMessage, threadEntries } from "./thread-entries.ts";

const message = (seq: number, created_at = seq * 10) => ({
  seq,
  client_id: `${seq}`,
  sender_type: "user" as const,
  sender_name: "Ada",
  message: "",
  created_at,
});
const note = (no: number, created_at: number) => ({
  no,
  author_id: "b",
  author_name: "Bo",
  mentions: [],
  body: "",
  created_at,
});

test("puts notes between messages by time, and keeps messages in their order without notes", () => {
  const messages = [message(1), message(2), message(3)];
  expect(threadEntries(messages, [note(1, 25)]).map(({ key }) => key)).toEqual(["1", "2", "note-1", "3"]);
  expect(threadEntries([message(1, 50), message(2, 20)], []).map(({ key }) => key)).toEqual(["1", "2"]);
  expect(indexOfMessage(threadEntries(messages, [note(1, 25)]), 3)).toBe(3);
  expect(indexOfMessage(threadEntries(messages, []), 4)).toBe(-1);
});

test("holds back notes from before the loaded messages until all are loaded", () => {
  const notes = [note(1, 5), note(2, 35)];
  expect(threadEntries([message(3), message(4)], notes).map(({ key }) => key)).toEqual(["3", "note-2", "4"]);
  expect(threadEntries([message(1), message(2)], notes).map(({ key }) => key)).toEqual(["note-1", "1", "2", "note-2"]);
});
