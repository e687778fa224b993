import X from "lucide-react/icons/x";
import { type FormEvent, useState } from "react";
import { Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import type { AgentAction } from "#app/support/protocol/agent-actions.server.ts";
import { TAG, TAG_MAX_CHARS, TAGS_MAX } from "#app/support/protocol/console-frames.ts";

/** The rest shows on request, so that what follows is not far away on a phone. */
const TAGS_SHOWN = 12;

export const NEW_TAG_ID = "new-tag";

export function ConversationTags({ tags, onAction }: { tags: string[]; onAction: (action: AgentAction) => void }) {
  const [typed, setTyped] = useState("");
  const [isInvalid, setInvalid] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? tags : tags.slice(0, TAGS_SHOWN);

  function add(event: FormEvent): void {
    event.preventDefault();
    const tag = typed.trim();
    if (tag === "") return;
    const isTag = TAG.test(tag);
    setInvalid(!isTag);
    if (!isTag) return;
    onAction({ action: "tag", tag, isOn: true });
    setTyped("");
    // The new tag may be beyond the first ones.
    setShowsAll(true);
  }

  return (
    <section aria-labelledby="tags" className="flex flex-col gap-1.5">
      <h2 id="tags" className="text-sm">
        Tags
      </h2>
      {tags.length > 0 && (
        <ul aria-labelledby="tags" className="flex flex-wrap gap-1.5">
          {shown.map((tag) => (
            <li
              key={tag}
              className="inline-flex h-11 max-w-full items-center gap-1 rounded-full border border-line pl-3 text-xs sm:h-7"
            >
              <span className="truncate" title={tag}>
                {tag}
              </span>
              <button
                type="button"
                aria-label={`Remove tag ${tag}`}
                onClick={() => onAction({ action: "tag", tag, isOn: false })}
                className="grid size-11 place-items-center rounded-full text-muted hover:text-text sm:size-7"
              >
                <X aria-hidden className="size-3" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {tags.length > TAGS_SHOWN && (
        <Button
          variant="quiet"
          aria-expanded={showsAll}
          onClick={() => setShowsAll(!showsAll)}
          className="self-start px-0"
        >
          {showsAll ? "Show fewer tags" : `Show all ${tags.length} tags`}
        </Button>
      )}
      {tags.length < TAGS_MAX && (
        <form onSubmit={add} className="flex gap-2">
          <Input
            id={NEW_TAG_ID}
            aria-label="New tag"
            aria-invalid={isInvalid || undefined}
            aria-describedby={isInvalid ? "tag-error" : undefined}
            placeholder="Add a tag"
            maxLength={TAG_MAX_CHARS}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
          <Button type="submit" variant="secondary" className="shrink-0 sm:h-10">
            Add
          </Button>
        </form>
      )}
      {isInvalid && (
        <p id="tag-error" role="alert" className="text-bad">
          Start a tag with a letter or a digit. Spaces, - and _ can follow.
        </p>
      )}
    </section>
  );
}
