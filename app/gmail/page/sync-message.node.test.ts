import { expect, test } from "vitest";
import { syncMessage } from "./sync-message.ts";

test.for([
  [0, 0, true, "Nothing new since the last sync"],
  [1, 0, true, "1 message synced"],
  [0, 1, true, "1 message removed"],
  [2, 1, true, "2 messages synced, 1 message removed"],
  [1, 2, true, "1 message synced, 2 messages removed"],
  [250, 3, false, "250 messages read. The rest will sync automatically."],
] as const)("describes %i read and %i removed messages", ([read, removed, finished, text]) => {
  expect(syncMessage({ read, removed, finished })).toBe(text);
});
