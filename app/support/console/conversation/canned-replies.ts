import type { Reply } from "#app/support/team/saved-replies.server.ts";

const SHOWN_MOST = 8;

/** The replies that fit a draft which begins with a slash; by the shortcut first. Null: no canned reply is asked for. */
export function matchReplies(draft: string, replies: Reply[]): Reply[] | null {
  const asked = /^\/([^\s/]*)$/.exec(draft)?.[1]?.toLowerCase();
  if (asked === undefined) return null;
  const byShortcut = replies.filter(({ shortcut }) => shortcut.toLowerCase().startsWith(asked));
  const byText = replies.filter(
    (reply) => !byShortcut.includes(reply) && asked !== "" && reply.body.toLowerCase().includes(asked),
  );
  return [...byShortcut, ...byText].slice(0, SHOWN_MOST);
}

/** `{name}` is the visitor's first name, `{agent}` the one who answers. */
export function fillReply(body: string, { visitor, agent }: { visitor: string; agent: string }): string {
  const first = visitor.trim().split(/\s+/)[0] ?? "";
  return body.replaceAll("{name}", () => first).replaceAll("{agent}", () => agent);
}
