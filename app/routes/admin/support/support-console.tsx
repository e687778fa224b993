import type { AppLoadContext, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import {
  Outlet,
  type ShouldRevalidateFunctionArgs,
  useLoaderData,
  useLocation,
  useNavigate,
  useParams,
} from "@remix-run/react";
import MessagesSquare from "lucide-react/icons/messages-square";
import { type MutableRefObject, useCallback, useRef, useState } from "react";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { ConsoleNav } from "#app/components/navigation/console-nav.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { consoleGroups } from "#app/console/navigation/console-pages.server.ts";
import { countWaiting } from "#app/console/orders/list/staff-order-list.server.ts";
import { cutText } from "#app/cut-text.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { FiltersSheet } from "#app/support/console/filters-sheet.tsx";
import { type ConsoleSheet, ConversationColumn } from "#app/support/console/list/conversation-column.tsx";
import { addressAfter } from "#app/support/console/list/next-conversation.ts";
import { useInbox } from "#app/support/console/list/use-inbox.ts";
import { LoggedOut } from "#app/support/console/logged-out.tsx";
import { MentionsSheet } from "#app/support/console/mentions-sheet.tsx";
import { NoticeSheet } from "#app/support/console/notice-sheet.tsx";
import { PaletteButton } from "#app/support/console/palette/palette-button.tsx";
import type { Command } from "#app/support/console/palette/palette-commands.ts";
import { PaletteLoader } from "#app/support/console/palette/palette-loader.tsx";
import { HelpSheet } from "#app/support/console/shortcuts-sheet.tsx";
import { useAlerts } from "#app/support/console/use-alerts.ts";
import { useMentions } from "#app/support/console/use-mentions.ts";
import { INBOX_PAGE, isInFilter, readInbox } from "#app/support/inbox/inbox.server.ts";
import { parseView } from "#app/support/inbox/inbox-view.ts";
import { search } from "#app/support/inbox/message-search.server.ts";
import { listFilters } from "#app/support/inbox/saved-filters.server.ts";
import type { Agent } from "#app/support/protocol/console-frames.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { listReplies, type Reply } from "#app/support/team/saved-replies.server.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";
import { useNotice } from "#app/support/thread/notice-settings.ts";
import { useUnreadTitle } from "#app/support/thread/use-unread-title.ts";

const HITS = 30;

export const meta: MetaFunction = () => [{ title: `Console · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const filters = await listFilters(context.db, viewer.userId);
  const filter = filters.find(({ id }) => id === parseId(searchParams.get("filter"))) ?? null;
  const view = filter?.view ?? parseView(searchParams.get("view"));
  const query = filter?.words ?? cutText(searchParams.get("q") ?? "", 200).trim();
  const isWanted = filter ? isInFilter(filter, viewer.userId, Date.now()) : undefined;
  const before = parseId(searchParams.get("before"));
  const { db, supportDb } = context;
  const [inbox, found, replies, staff, waiting, turns] = await Promise.all([
    readInbox(supportDb, { view, filter, agentId: viewer.userId, after: null, limit: INBOX_PAGE }),
    query === "" ? null : search(supportDb, query, before, HITS, isWanted),
    listReplies(db),
    listStaff(db),
    countWaiting(db),
    readTurns(context, viewer.userId),
  ]);
  const me: Agent = { id: viewer.userId, name: viewer.fullName || "Support" };
  const groups = consoleGroups(viewer.role === "admin" ? "admin" : "agent");
  return { groups, me, view, filters, filter, query, inbox, found, replies, staff, waiting, turns };
}

/** Returns whether the agent gets new conversations in turn, or null while nobody does. */
async function readTurns({ db, env }: AppLoadContext, userId: string): Promise<{ isAway: boolean } | null> {
  const { assignsInTurn } = await readSettings(db);
  return assignsInTurn ? { isAway: await env.SUPPORT_DESK.getByName(DESK_NAME).isAway(userId) } : null;
}

/** The list updates itself, so the page loads again only for another view or search. */
export function shouldRevalidate({ currentUrl, nextUrl }: ShouldRevalidateFunctionArgs): boolean {
  return currentUrl.search !== nextUrl.search;
}

export type ConsoleContext = {
  me: Agent;
  replies: Reply[];
  staff: Agent[];
  nextAfter: (sessionId: string) => string | null;
  knownTags: string[];
  commands: MutableRefObject<() => Command[]>;
};

export default function Console() {
  const {
    groups,
    me,
    view,
    filters: savedFilters,
    filter,
    query,
    inbox: loaded,
    found,
    replies,
    staff,
    waiting,
    turns,
  } = useLoaderData<typeof loader>();
  const { id } = useParams();
  const { search: address } = useLocation();
  const navigate = useNavigate();
  const openConversation = useCallback(
    (sessionId: string) => navigate({ pathname: `/admin/support/${sessionId}`, search: address }),
    [navigate, address],
  );
  const alerts = useAlerts(id, openConversation);
  const inbox = useInbox(loaded, { view, filter, agentId: me.id, onNewMessages: alerts.alert });
  useMentions(inbox.mentions, { openId: id, onNew: alerts.alertMentions, onRead: inbox.refresh });
  useUnreadTitle(inbox.counts.unread, useNotice("title"));
  const [filters, setFilters] = useState(savedFilters);
  const knownTags = [...new Set(inbox.rows.flatMap(({ tags }) => tags))];
  const commands = useRef<() => Command[]>(() => []);
  const nextAfter = (sessionId: string) => addressAfter(sessionId, found ? [] : inbox.rows, view, address);
  const [sheet, setSheet] = useState<ConsoleSheet | null>(null);
  if (inbox.connection === "signedOut") return <LoggedOut />;
  return (
    <div className="flex h-[calc(100dvh-57px)] flex-col">
      {/* On a phone an open conversation fills the screen. */}
      <div className={id ? "hidden md:block" : ""}>
        <ConsoleNav groups={groups} waiting={waiting} tool={<PaletteButton />} />
      </div>
      <main
        id="main"
        tabIndex={-1}
        className="grid min-h-120 flex-1 grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] outline-none md:grid-cols-[320px_minmax(0,1fr)]"
      >
        <ConversationColumn
          inbox={inbox}
          found={found}
          filters={filters}
          filter={filter}
          view={view}
          query={query}
          selected={id}
          search={address}
          onSheet={setSheet}
        />
        {id ? (
          <Outlet context={{ me, replies, staff, nextAfter, knownTags, commands } satisfies ConsoleContext} />
        ) : (
          <div className="hidden md:block">
            <EmptyState icon={MessagesSquare} title="No conversation selected">
              Choose a conversation to read and reply. Press “?” for shortcuts.
            </EmptyState>
          </div>
        )}
      </main>
      <PaletteLoader pages={groups.flatMap(({ pages }) => pages)} actions={() => commands.current()} />
      <HelpSheet open={sheet === "help"} onOpenChange={(open) => setSheet(open ? "help" : null)} />
      <FiltersSheet
        open={sheet === "filters"}
        onOpenChange={(open) => setSheet(open ? "filters" : null)}
        filters={filters}
        onFilters={setFilters}
        staff={staff}
        knownTags={knownTags}
      />
      <MentionsSheet
        open={sheet === "mentions"}
        onOpenChange={(open) => setSheet(open ? "mentions" : null)}
        search={address}
      />
      <NoticeSheet
        open={sheet === "notices"}
        onOpenChange={(open) => setSheet(open ? "notices" : null)}
        permission={alerts.permission}
        onAsk={alerts.ask}
        turns={turns}
      />
    </div>
  );
}
