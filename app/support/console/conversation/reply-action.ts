import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";
import { type Agent, UNTIL_ANSWER_MS } from "#app/support/protocol/console-frames.ts";
import { ASSIGN_TO_ME, type ReplyEffects } from "#app/support/protocol/reply-effects.ts";
import { morningIn } from "./snooze-times.ts";

type Action = Extract<AgentAction, { action: "reply" }>;

/** Returns the action that sends a reply with its effects. An assignee who has left the team changes nothing. */
export function replyAction(
  { tags, assignTo, note, next }: ReplyEffects,
  { clientId, body, me, staff, now }: { clientId: string; body: string; me: Agent; staff: Agent[]; now: Date },
): Action {
  const assignee = assignTo === ASSIGN_TO_ME ? me : staff.find(({ id }) => id === assignTo);
  return {
    action: "reply",
    clientId,
    body,
    note,
    tags,
    agentId: assignee?.id ?? null,
    closes: next === "close",
    snoozeUntil: next === "snooze_answer" ? UNTIL_ANSWER_MS : next === "snooze_tomorrow" ? morningIn(1, now) : 0,
  };
}

/** Returns what two saved replies do that are used one after the other: of each thing that can be one only, the later. */
export function mergeEffects(one: ReplyEffects, other: ReplyEffects): ReplyEffects {
  return {
    tags: [...new Set([...one.tags, ...other.tags])],
    assignTo: other.assignTo || one.assignTo,
    note: [one.note, other.note].filter((note) => note !== "").join("\n"),
    next: other.next || one.next,
  };
}
