/** What a saved reply does besides its text, in one step with it. */
export type ReplyEffects = {
  tags: string[];
  /** An agent's id, `me` for whoever uses the reply, or empty. */
  assignTo: string;
  /** A note that only the team sees, or empty. */
  note: string;
  next: NextStep;
};

/** So many saved replies a console loads. It searches for the others while an agent types. */
export const REPLIES_LOADED = 300;

/** What follows a saved reply. */
export const NEXT_STEP_WORDS = {
  "": "Leave it open",
  close: "Close conversation",
  snooze_tomorrow: "Snooze until tomorrow morning",
  snooze_answer: "Snooze until the visitor writes",
};
export type NextStep = keyof typeof NEXT_STEP_WORDS;

export const ASSIGN_TO_ME = "me";
export const EFFECT_TAGS_MAX = 10;
export const NO_EFFECTS: ReplyEffects = { tags: [], assignTo: "", note: "", next: "" };

export function hasEffects({ tags, assignTo, note, next }: ReplyEffects): boolean {
  return tags.length > 0 || assignTo !== "" || note !== "" || next !== "";
}
