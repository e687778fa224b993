import type { Agent } from "#app/support/protocol/console-frames.ts";
import { ASSIGN_TO_ME, NEXT_STEP_WORDS, type ReplyEffects } from "#app/support/protocol/reply-effects.ts";

/** Says what a saved reply does besides its text, a few words for each thing. */
export function effectTexts({ tags, assignTo, note, next }: ReplyEffects, staff: Agent[]): string[] {
  return [
    ...(tags.length > 0 ? [`Tag ${tags.join(", ")}`] : []),
    ...(assignTo === "" ? [] : [assigneeText(assignTo, staff)]),
    ...(note === "" ? [] : [`Note “${note}”`]),
    ...(next === "" ? [] : [NEXT_STEP_WORDS[next]]),
  ];
}

function assigneeText(assignTo: string, staff: Agent[]): string {
  if (assignTo === ASSIGN_TO_ME) return "Assign to me";
  const assignee = staff.find(({ id }) => id === assignTo);
  return assignee ? `Assign to ${assignee.name}` : "Keep the assignee: the chosen agent left the team";
}
