import type { Command } from "#app/support/console/palette/palette-commands.ts";
import { effectTexts } from "#app/support/console/reply-effect-texts.ts";
import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";
import type { Agent, Triage } from "#app/support/protocol/console-frames.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";
import type { ComposerMode } from "./composer-mode.tsx";
import { snoozeTimes } from "./snooze-times.ts";

type Open = {
  status: SupportSession["status"];
  /** Null until the room has sent it. */
  triage: Triage | null;
  me: Agent;
  staff: Agent[];
  replies: Reply[];
  /** Tags of other conversations in the list. */
  knownTags: string[];
  act: (action: AgentAction) => unknown;
  toggleStatus: () => unknown;
  write: (mode: ComposerMode) => void;
  insertReply: (reply: Reply) => void;
  newTag: () => void;
};

/** Returns what the command palette offers for the open conversation. */
export function conversationCommands(open: Open): Command[] {
  const { act, write } = open;
  const commands: Omit<Command, "id" | "group">[] = [
    { label: "Write a reply", keys: "r", run: () => write("reply") },
    { label: "Write a team note", keys: "n", run: () => write("note") },
    { label: open.status === "open" ? "Close conversation" : "Reopen conversation", keys: "e", run: open.toggleStatus },
    ...(open.triage ? triageCommands(open, open.triage) : []),
    ...open.replies.map((reply) => ({
      label: `Use saved reply /${reply.shortcut}`,
      detail: [reply.body, ...effectTexts(reply.effects, open.staff)].filter((text) => text !== "").join(" · "),
      isExtra: true,
      run: () => open.insertReply(reply),
    })),
    ...(open.triage
      ? [
          {
            label: open.triage.blocked ? "Unblock visitor" : "Block visitor",
            run: () => act({ action: "block", blocked: !open.triage?.blocked }),
          },
        ]
      : []),
  ];
  return commands.map((command) => ({ ...command, id: command.label, group: "Actions" }));
}

function triageCommands({ status, me, staff, knownTags, act, newTag }: Open, { assignee, tags, snoozedUntil }: Triage) {
  const has = (tag: string) => tags.some((one) => one.toLowerCase() === tag.toLowerCase());
  const others = staff.filter(({ id }) => id !== me.id && id !== assignee?.id);
  return [
    ...(assignee?.id === me.id
      ? []
      : [{ label: "Assign to me", keys: "a", run: () => act({ action: "assign", agentId: me.id }) }]),
    ...others.map(({ id, name }) => ({
      label: `Assign to ${name}`,
      isExtra: true,
      run: () => act({ action: "assign", agentId: id }),
    })),
    ...(assignee ? [{ label: "Assign to nobody", run: () => act({ action: "assign", agentId: null }) }] : []),
    ...(snoozedUntil > Date.now()
      ? [{ label: "Wake conversation", run: () => act({ action: "snooze", until: 0 }) }]
      : status === "open"
        ? snoozeTimes(new Date()).map(({ label, until }) => ({
            label: `Snooze: ${label}`,
            isExtra: true,
            run: () => act({ action: "snooze", until }),
          }))
        : []),
    { label: "Add a tag…", run: newTag },
    ...knownTags
      .filter((tag) => !has(tag))
      .map((tag) => ({ label: `Add tag ${tag}`, isExtra: true, run: () => act({ action: "tag", tag, isOn: true }) })),
    ...tags.map((tag) => ({
      label: `Remove tag ${tag}`,
      isExtra: true,
      run: () => act({ action: "tag", tag, isOn: false }),
    })),
  ];
}
