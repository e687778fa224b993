import { Form, Link } from "@remix-run/react";
import AtSign from "lucide-react/icons/at-sign";
import Bell from "lucide-react/icons/bell";
import BellOff from "lucide-react/icons/bell-off";
import Keyboard from "lucide-react/icons/keyboard";
import type { RefObject } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { INBOX_VIEWS, type InboxCounts, type InboxView, MENTIONS_COUNTED } from "#app/support/inbox/inbox-view.ts";
import { useNotice } from "#app/support/thread/notice-settings.ts";

const LABELS: Record<InboxView, string> = {
  open: "Open",
  mine: "Mine",
  unassigned: "Unassigned",
  closed: "Closed",
  snoozed: "Snoozed",
};

export function InboxHead({
  heading: Heading,
  view,
  counts,
  mentions,
  isLive,
  query,
  searchField,
  onMentions,
  onNotices,
  onHelp,
}: {
  heading: "h1" | "h2";
  view: InboxView;
  counts: InboxCounts;
  /** Unread mentions of the agent. */
  mentions: number;
  isLive: boolean;
  query: string;
  searchField: RefObject<HTMLInputElement>;
  onMentions: () => void;
  onNotices: () => void;
  onHelp: () => void;
}) {
  const { number } = useFormats();
  const hasSound = useNotice("sound");
  return (
    <header className="flex shrink-0 flex-col border-b border-line">
      <div className="flex h-12 items-center gap-1 pr-2 pl-4">
        <Heading id="conversations" className="mr-auto text-sm">
          Conversations
        </Heading>
        <span role="status" className="mr-1 text-xs text-muted">
          {isLive ? "Live" : "Connecting…"}
        </span>
        <ToolButton
          label={mentions > 0 ? `Mentions (${mentionCount(mentions)} unread)` : "Mentions"}
          onClick={onMentions}
        >
          <span className="relative">
            <AtSign aria-hidden className="size-4" />
            {mentions > 0 && (
              <span
                aria-hidden
                className="tabular absolute -top-2 left-2 min-w-4 rounded-full bg-accent px-1 text-center text-[10px] leading-4 font-semibold text-on-accent"
              >
                {mentionCount(mentions)}
              </span>
            )}
          </span>
        </ToolButton>
        <ToolButton label={hasSound ? "Notifications" : "Notifications (sound off)"} onClick={onNotices}>
          {hasSound ? <Bell aria-hidden className="size-4" /> : <BellOff aria-hidden className="size-4" />}
        </ToolButton>
        <ToolButton label="Keyboard shortcuts" onClick={onHelp}>
          <Keyboard aria-hidden className="size-4" />
        </ToolButton>
      </div>
      <Form role="search" className="px-3 pb-2">
        <input type="hidden" name="view" value={view} />
        <Input
          key={query}
          ref={searchField}
          type="search"
          name="q"
          aria-label="Search all messages"
          placeholder="Search all messages"
          defaultValue={query}
          maxLength={200}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
      </Form>
      {query === "" ? (
        <nav aria-label="Views">
          <ul className="flex px-1">
            {INBOX_VIEWS.map((one) => (
              <li key={one} className="flex flex-1">
                <Link
                  to={{ search: `?view=${one}` }}
                  aria-current={one === view ? "page" : undefined}
                  className="flex h-11 flex-1 flex-col items-center justify-center border-b-2 border-transparent px-1 text-xs text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-text"
                >
                  {LABELS[one]}
                  <span className="tabular">{number(counts[one])}</span>
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      ) : (
        <p className="flex items-center justify-between gap-2 px-4 pb-2 text-sm">
          <span className="truncate">Results for “{query}”</span>
          <Link to={{ search: `?view=${view}` }} className="shrink-0 underline underline-offset-4">
            Back to list
          </Link>
        </p>
      )}
    </header>
  );
}

function mentionCount(mentions: number): string {
  return mentions > MENTIONS_COUNTED ? `${MENTIONS_COUNTED}+` : String(mentions);
}

function ToolButton({ label, onClick, children }: { label: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <Button variant="quiet" aria-label={label} title={label} onClick={onClick} className="w-11 px-0 sm:h-8 sm:w-8">
      {children}
    </Button>
  );
}
