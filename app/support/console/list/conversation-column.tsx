import { useNavigate } from "@remix-run/react";
import { type ComponentProps, useRef } from "react";
import { useShortcuts } from "#app/support/console/use-shortcuts.ts";
import { INBOX_VIEWS, type InboxView, type SavedFilter } from "#app/support/inbox/inbox-view.ts";
import { ConversationList } from "./conversation-list.tsx";
import { InboxHead } from "./inbox-head.tsx";
import { SearchResults } from "./search-results.tsx";
import type { useInbox } from "./use-inbox.ts";
import { useListCursor } from "./use-list-cursor.ts";

export type ConsoleSheet = "help" | "notices" | "mentions" | "filters";

/** The console's left column: views, search, and the conversations or search results, with their keyboard shortcuts. */
export function ConversationColumn({
  inbox,
  found,
  filters,
  filter,
  view,
  query,
  selected,
  search,
  onSheet,
}: {
  inbox: ReturnType<typeof useInbox>;
  /** The search results for `query`, or null without a search. */
  found: ComponentProps<typeof SearchResults>["found"] | null;
  filters: SavedFilter[];
  /** The filter whose list this is. */
  filter: SavedFilter | null;
  view: InboxView;
  query: string;
  /** The open conversation's id. */
  selected: string | undefined;
  /** The page's query string, which links keep. */
  search: string;
  onSheet: (sheet: ConsoleSheet) => void;
}) {
  const navigate = useNavigate();
  const searchField = useRef<HTMLInputElement>(null);
  const { rows } = inbox;
  const { cursor, moveTo, next, previous, onFocusRow } = useListCursor(rows, selected);
  useShortcuts({
    j: () => moveTo(next),
    k: () => moveTo(previous),
    u: () => {
      const below = rows.findIndex(({ unread }, at) => unread && at >= next);
      const unread = below >= 0 ? below : rows.findIndex((row) => row.unread);
      if (unread >= 0) moveTo(unread);
    },
    "/": () => searchField.current?.focus(),
    "?": () => onSheet("help"),
    m: () => onSheet("mentions"),
    ...Object.fromEntries(INBOX_VIEWS.map((one, at) => [String(at + 1), () => navigate({ search: `?view=${one}` })])),
  });
  const older = found?.next
    ? `?${new URLSearchParams({
        ...(filter ? { filter: String(filter.id) } : { view, q: query }),
        before: String(found.next),
      })}`
    : null;
  return (
    <section
      aria-labelledby="conversations"
      className={`min-h-0 flex-col border-line md:flex md:border-r ${selected ? "hidden" : "flex"}`}
    >
      <InboxHead
        // On a phone only the open conversation shows, so its heading is the page's.
        heading={selected ? "h2" : "h1"}
        view={view}
        filters={filters}
        filter={filter}
        onFilters={() => onSheet("filters")}
        counts={inbox.counts}
        mentions={inbox.mentions.length}
        isLive={inbox.connection === "live"}
        query={query}
        searchField={searchField}
        onMentions={() => onSheet("mentions")}
        onNotices={() => onSheet("notices")}
        onHelp={() => onSheet("help")}
      />
      {found ? (
        <SearchResults found={found} search={search} more={older} />
      ) : (
        <ConversationList
          key={filter?.id ?? view}
          rows={rows}
          view={view}
          selected={selected}
          search={search}
          cursor={cursor}
          onFocusRow={onFocusRow}
          more={inbox.more}
          onMore={inbox.loadMore}
        />
      )}
    </section>
  );
}
