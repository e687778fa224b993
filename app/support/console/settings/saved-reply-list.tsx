import { useSearchParams } from "@remix-run/react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { effectTexts } from "#app/support/console/reply-effect-texts.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import type { Reply } from "#app/support/team/saved-replies.server.ts";

export function SavedReplyList({ replies, staff }: { replies: Reply[]; staff: Agent[] }) {
  const [params] = useSearchParams();
  const editing = (id: number) => {
    const changed = new URLSearchParams(params);
    changed.set("edit", String(id));
    return `?${changed}`;
  };
  return (
    <ul className="divide-y divide-line">
      {replies.map(({ id, shortcut, body, effects, version }) => (
        <li key={id} className="flex flex-col gap-2 px-4 py-3 text-sm sm:flex-row sm:items-start sm:px-5">
          <div className="min-w-0 flex-1">
            <p className="font-mono text-xs">/{shortcut}</p>
            <p className="mt-1 line-clamp-3 break-words whitespace-pre-wrap text-muted empty:hidden">{body}</p>
            <p className="mt-1 line-clamp-2 break-words text-xs empty:hidden">
              {effectTexts(effects, staff).join(" · ")}
            </p>
          </div>
          <div className="flex shrink-0 gap-2">
            <ButtonLink to={editing(id)} variant="secondary" aria-label={`Edit /${shortcut}`}>
              Edit
            </ButtonLink>
            <ActionForm intent="delete" result={null} hidden={{ id, version }}>
              <SubmitButton variant="danger" aria-label={`Delete /${shortcut}`}>
                Delete
              </SubmitButton>
            </ActionForm>
          </div>
        </li>
      ))}
    </ul>
  );
}
