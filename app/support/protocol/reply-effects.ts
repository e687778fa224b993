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

export const NEXT_STEPS = ["", "close", "snooze_tomorrow", "snooze_answer"] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

export const ASSIGN_TO_ME = "me";
export const EFFECT_TAGS_MAX = 10;
export const NO_EFFECTS: ReplyEffects = { tags: [], assignTo: "", note: "", next: "" };

export function hasEffects({ tags, assignTo, note, next }: ReplyEffects): boolean {
  return tags.length > 0 || assignTo !== "" || note !== "" || next !== "";
}
