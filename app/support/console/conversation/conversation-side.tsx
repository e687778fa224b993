import X from "lucide-react/icons/x";
import { type FormEvent, type ReactNode, useState } from "react";
import { Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button } from "#app/components/ui/button.tsx";
import type { AgentAction } from "#app/support/protocol/agent-actions.ts";
import {
  type Agent,
  TAG,
  TAG_MAX_CHARS,
  TAGS_MAX,
  type Triage,
  type VisitedPage,
} from "#app/support/protocol/console-frames.ts";

const NOBODY = "";
/** More are shown when asked for: what is below them must not be far away on a phone. */
const TAGS_SHOWN = 12;

/** Beside the thread: who has it, what it is about, and who the visitor is. */
export function ConversationSide({
  triage,
  page,
  staff,
  email,
  isHere,
  isAccount,
  account,
  onAction,
}: {
  triage: Triage;
  page: VisitedPage | null;
  staff: Agent[];
  email: string | null;
  isHere: boolean;
  /** The conversation is an account's; else it is a browser's. */
  isAccount: boolean;
  /** What the account and its orders say; null for somebody who is not signed in. */
  account: ReactNode;
  onAction: (action: AgentAction) => void;
}) {
  const isHydrated = useIsHydrated();
  const { assignee, tags, blocked } = triage;
  // Somebody who has left the team may still have it.
  const people = assignee && !staff.some(({ id }) => id === assignee.id) ? [...staff, assignee] : staff;
  return (
    <fieldset disabled={!isHydrated} className="flex min-w-0 flex-col gap-5 p-4 text-sm">
      <div className="flex flex-col gap-1.5">
        <label htmlFor="assignee" className="font-medium">
          Assigned to
        </label>
        <Select
          id="assignee"
          value={assignee?.id ?? NOBODY}
          onChange={({ target }) =>
            onAction({ action: "assign", agentId: target.value === NOBODY ? null : target.value })
          }
        >
          <option value={NOBODY}>Nobody</option>
          {people.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      <Tags tags={tags} onAction={onAction} />
      <section aria-labelledby="visitor" className="flex flex-col gap-1.5">
        <h2 id="visitor" className="text-sm">
          Visitor
        </h2>
        <p className="break-words">
          {email ? (
            <a href={`mailto:${email}`} className="underline underline-offset-4">
              {email}
            </a>
          ) : (
            <span className="text-muted">No email given</span>
          )}
        </p>
        <p className="text-muted">
          {isHere && page ? (
            <>
              On{" "}
              <span className="break-all text-text" title={page.title}>
                {page.path}
              </span>
              {page.title && <span className="block truncate">{page.title}</span>}
            </>
          ) : (
            "Not on a page now"
          )}
        </p>
      </section>
      {account ?? <p className="text-muted">Not signed in, so there is no account and no order to show.</p>}
      <section aria-labelledby="block" className="flex flex-col gap-1.5">
        <h2 id="block" className="text-sm">
          Blocking
        </h2>
        <p id="block-what" className="text-muted">
          {blockText(isAccount, blocked)}
        </p>
        <Button
          variant={blocked ? "secondary" : "danger"}
          aria-describedby="block-what"
          onClick={() => onAction({ action: "block", blocked: !blocked })}
          className="self-start"
        >
          {blocked ? "Unblock visitor" : "Block visitor"}
        </Button>
      </section>
    </fieldset>
  );
}

/** What exactly is blocked: the conversation knows its account, or the cookie of one browser. */
function blockText(isAccount: boolean, blocked: boolean): string {
  if (isAccount) {
    return blocked
      ? "The account is blocked: its owner can read this conversation and write nothing, on every device. Orders and sign-in are not touched."
      : "Closes the conversation. The account can then read it and write nothing, on every device and after signing in again. Orders and sign-in are not touched.";
  }
  return blocked
    ? "The browser that started this is blocked, and any account that it signs in to takes the block along. Without its cookies it is a new visitor."
    : "Closes the conversation. The browser that started it can then write nothing, also when it starts anew, and an account that it signs in to takes the block along. Without its cookies it is a new visitor.";
}

function Tags({ tags, onAction }: { tags: string[]; onAction: (action: AgentAction) => void }) {
  const [typed, setTyped] = useState("");
  const [isRefused, setRefused] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? tags : tags.slice(0, TAGS_SHOWN);

  function add(event: FormEvent): void {
    event.preventDefault();
    const tag = typed.trim();
    if (tag === "") return;
    const isTag = TAG.test(tag);
    setRefused(!isTag);
    if (!isTag) return;
    onAction({ action: "tag", tag, isOn: true });
    setTyped("");
    // Or it might not be among those that are shown.
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
                aria-label={`Remove the tag ${tag}`}
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
            aria-label="New tag"
            aria-invalid={isRefused || undefined}
            aria-describedby={isRefused ? "tag-refused" : undefined}
            placeholder="Add a tag"
            maxLength={TAG_MAX_CHARS}
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
            onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          />
          <Button type="submit" variant="secondary" className="shrink-0 sm:h-10">
            Add
          </Button>
        </form>
      )}
      {isRefused && (
        <p id="tag-refused" role="alert" className="text-bad">
          A tag begins with a letter or a digit; spaces, - and _ may follow.
        </p>
      )}
    </section>
  );
}
