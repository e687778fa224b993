import { effectTexts } from "#app/support/console/reply-effect-texts.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";

/** The saved replies that match the draft. The field keeps the focus; `chosen` is its active option. */
export function ReplyMenu({
  id,
  replies,
  staff,
  chosen,
  onChoose,
}: {
  id: string;
  replies: Reply[];
  staff: Agent[];
  chosen: Reply | undefined;
  onChoose: (reply: Reply) => void;
}) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Saved replies"
      className="absolute inset-x-3 bottom-full z-10 mb-1 max-h-72 overflow-y-auto rounded-md border border-line bg-raised py-1 shadow-float"
    >
      {replies.map((reply) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        <div
          key={reply.id}
          id={replyOptionId(id, reply)}
          role="option"
          tabIndex={-1}
          aria-selected={reply === chosen}
          onClick={() => onChoose(reply)}
          className="flex cursor-pointer gap-3 px-3 py-2 text-sm aria-selected:bg-sunken"
        >
          <span className="shrink-0 font-mono text-xs leading-5">/{reply.shortcut}</span>
          <span className="min-w-0 text-muted">
            {reply.body !== "" && <span className="block truncate">{reply.body}</span>}
            <span className="block truncate text-xs empty:hidden">{effectTexts(reply.effects, staff).join(" · ")}</span>
          </span>
        </div>
      ))}
    </div>
  );
}

export function replyOptionId(menuId: string, reply: Reply): string {
  return `${menuId}-${reply.id}`;
}
