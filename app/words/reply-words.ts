import type { FieldWords } from "./field-words.ts";

/** What follows a saved reply. */
export const NEXT_STEP_WORDS = {
  "": "Leave it open",
  close: "Close conversation",
  snooze_tomorrow: "Snooze until tomorrow morning",
  snooze_answer: "Snooze until the visitor writes",
};

const TAGS = "Tags it adds";
const ASSIGNEE = "Person it assigns";
const NOTE = "Team note it adds";

/** What the fields of a saved reply are called. The log has the names that say which effect they are. */
export const REPLY_WORDS = {
  shortcut: "Shortcut",
  body: "Reply",
  tags: TAGS,
  addsTags: TAGS,
  assignTo: ASSIGNEE,
  assignsTo: ASSIGNEE,
  note: NOTE,
  addsNote: NOTE,
  next: { label: "What follows", values: NEXT_STEP_WORDS },
} as const satisfies FieldWords;
