import type { Reply } from "#app/support/team/saved-replies.server.ts";

const SHOWN_MAX = 8;

/** Returns what is typed of a shortcut in a draft such as `/ref`, in lower case, or null if the draft is no shortcut. */
export function typedShortcut(draft: string): string | null {
  return /^\/([^\s/]*)$/.exec(draft)?.[1]?.toLowerCase() ?? null;
}

/** Returns the replies that match a draft such as `/ref`, by shortcut first, or null if the draft is no shortcut. */
export function matchReplies(draft: string, replies: Reply[]): Reply[] | null {
  const typed = typedShortcut(draft);
  if (typed === null) return null;
  const byShortcut = replies.filter(({ shortcut }) => shortcut.toLowerCase().startsWith(typed));
  const byText = replies.filter(
    (reply) => !byShortcut.includes(reply) && typed !== "" && textOf(reply).toLowerCase().includes(typed),
  );
  return [...byShortcut, ...byText].slice(0, SHOWN_MAX);
}

function textOf({ body, effects: { tags, note } }: Reply): string {
  return [body, ...tags, note].join(" ");
}

/** Replaces `{name}` with the visitor's first name and `{agent}` with the agent's name. */
export function fillReply(body: string, { visitor, agent }: { visitor: string; agent: string }): string {
  const first = visitor.trim().split(/\s+/)[0] ?? "";
  const values = new Map([
    ["{name}", first],
    ["{agent}", agent],
  ]);
  // In one pass: a visitor's name may be "{agent}".
  return body.replaceAll(/\{\w+\}/g, (placeholder) => values.get(placeholder) ?? placeholder);
}
