import { Form, Link } from "@remix-run/react";
import AtSign from "lucide-react/icons/at-sign";
import Bell from "lucide-react/icons/bell";
import BellOff from "lucide-react/icons/bell-off";
import Funnel from "lucide-react/icons/funnel";
import Keyboard from "lucide-react/icons/keyboard";
import type { RefObject } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Input } from "#app/components/forms/field.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { VIEW_LABELS } from "#app/support/console/view-labels.ts";
import {
  INBOX_VIEWS,
  type InboxCounts,
  type InboxView,
  MENTIONS_COUNTED,
  type SavedFilter,
} from "#app/support/inbox/inbox-view.ts";
import { useNotice } from "#app/support/thread/notice-settings.ts";

export function InboxHead({
  heading: Heading,
  view,
  filters,
  filter,
  onFilters,
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
  filters: SavedFilter[];
  filter: SavedFilter | null;
  onFilters: () => void;
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
        <Heading id="conversations" className="mr-auto min-w-0 truncate text-sm">
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
        <ToolButton label="Saved filters" onClick={onFilters}>
          <Funnel aria-hidden className="size-4" />
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
          key={filter ? `filter ${filter.id}` : query}
          ref={searchField}
          type="search"
          name="q"
          aria-label="Search all messages"
          placeholder="Search all messages"
          defaultValue={filter ? "" : query}
          maxLength={200}
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
        />
      </Form>
      {query === "" || filter ? (
        <nav aria-label="Views">
          <ul className="flex px-1">
            {INBOX_VIEWS.map((one) => (
              <li key={one} className="flex flex-1">
                <Link
                  to={{ search: `?view=${one}` }}
                  aria-current={one === view && !filter ? "page" : undefined}
                  className="flex h-11 flex-1 flex-col items-center justify-center border-b-2 border-transparent px-1 text-xs text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-text"
                >
                  {VIEW_LABELS[one]}
                  <span className="tabular">{number(counts[one])}</span>
                </Link>
              </li>
            ))}
          </ul>
          {filters.length > 0 && (
            <ul
              aria-label="Saved filters"
              className="flex max-h-28 flex-wrap gap-1.5 overflow-y-auto border-t border-line px-3 py-2"
            >
              {filters.map(({ id, name }) => (
                <li key={id} className="min-w-0">
                  <Link
                    to={{ search: `?filter=${id}` }}
                    aria-current={id === filter?.id ? "page" : undefined}
                    className="flex h-11 max-w-full items-center rounded-full border border-line px-3 text-xs text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-text sm:h-7"
                  >
                    <span className="truncate" title={name}>
                      {name}
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )}
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
