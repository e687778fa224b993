import { useCallback, useEffect, useRef, useState } from "react";
import { openLiveSocket } from "#app/support/client/live-socket.ts";
import { reconnectDelay } from "#app/support/client/reconnect-delay.ts";
import { type InboxChange, parseInboxHint, withInboxChange } from "#app/support/inbox/inbox-change.ts";
import {
  type InboxPage,
  type InboxRow,
  type InboxView,
  type SavedFilter,
  withChanges,
} from "#app/support/inbox/inbox-view.ts";
import { nothingAnnounced, takeNewMessages } from "./new-messages.ts";

/** Hints that arrive within this time make one request. */
const SETTLE_MS = 100;
/** With more changed ids than this, the whole list is read again. */
const IDS_MAX = 50;
const PAGE_ROWS = 200;
/** Longer than a page takes to load. */
const RECENT_MS = 60_000;
/** Pages and hints are read on different machines. */
const CLOCKS_APART_MS = 1000;
/** A browser's timer holds no more than 24 days. */
const WAKE_MAX_MS = 24 * 60 * 60_000;
/** The server's limit per response. */
const PAGE_MAX = 500;

/** After this many failed sockets in a row, the console asks whether it is still signed in. */
const ATTEMPTS_BEFORE_CHECK = 2;

export type MoreState = "idle" | "loading" | "failed";

type Inbox = InboxPage & {
  connection: "connecting" | "live" | "signedOut";
  more: MoreState;
  /** Reads the next page; does nothing at the end. */
  loadMore: () => void;
  /** Reads the list again. */
  refresh: () => void;
};

/**
 * Keeps the list of conversations up to date: each hint has what a conversation is now, which is put in its place. One that
 * can't be is read again.
 * Fetches without the page's loaders, because a failed revalidation would replace the reply that an agent is writing with
 * the error page. `onNewMessages` gets the conversations with something new and unread.
 */
export function useInbox(
  loaded: InboxPage,
  {
    view,
    filter,
    agentId,
    onNewMessages,
  }: {
    view: InboxView;
    /** The list is a saved filter's. */
    filter: SavedFilter | null;
    agentId: string;
    onNewMessages: (rows: InboxRow[]) => void;
  },
): Inbox {
  const [page, setPage] = useState(loaded);
  const [connection, setConnection] = useState<Inbox["connection"]>("connecting");
  const [more, setMore] = useState<MoreState>("idle");
  /** What is asked for. */
  const list = filter ? `filter=${filter.id}` : `view=${view}`;
  const current = useRef({ page, list, view, filter, agentId, onNewMessages });
  current.current = { page, list, view, filter, agentId, onNewMessages };
  /** Reads run one after the other, so that a page requested before a change is not added after it. */
  const reads = useRef(Promise.resolve());
  const loadingMore = useRef(false);
  const readAll = useRef(() => {});
  /** The last hint of each conversation, for a page that was read before it and comes after it. */
  const recent = useRef(new Map<string, InboxChange>());
  useEffect(() => {
    const { view: ofView, filter: ofFilter, agentId: me } = current.current;
    let page = loaded;
    for (const [id, change] of recent.current) {
      if (change.readAt < loaded.readAt - CLOCKS_APART_MS) continue;
      page = withInboxChange(page, id, change, { view: ofView, filter: ofFilter, agentId: me }) ?? page;
    }
    setPage(page);
    setMore("idle");
  }, [loaded]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: one socket for the life of the component
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let closed = false;
    let changedIds = new Set<string>();
    let readsAll = false;
    let failures = 0;
    const announced = nothingAnnounced(loaded.readAt);

    async function read(): Promise<void> {
      const ids = [...changedIds];
      const all = readsAll || ids.length > IDS_MAX;
      changedIds = new Set();
      readsAll = false;
      const { list: requested, page: before } = current.current;
      const response = all
        ? await readLoaded(requested, before.rows.length)
        : await readInbox(new URLSearchParams({ ids: ids.join(",") }));
      if (closed) return;
      if (!response) {
        readsAll = true;
        readAfter(reconnectDelay(failures, Math.random()));
        failures += 1;
        return;
      }
      failures = 0;
      const { list: shown, agentId: me, onNewMessages: announce } = current.current;
      const unread = takeNewMessages(announced, response.rows, me);
      if (unread.length > 0) announce(unread);
      // The page loads another view by itself.
      if (shown !== requested) return;
      const { view: ofView, filter: ofFilter } = current.current;
      setPage((known) =>
        all
          ? response
          : {
              ...known,
              counts: response.counts,
              changesAt: response.changesAt,
              mentions: response.mentions,
              readAt: response.readAt,
              rows: withChanges(known, {
                asked: ids,
                changed: response.rows,
                view: ofView,
                filter: ofFilter,
                agentId: me,
                now: response.readAt,
              }),
            },
      );
      if (all) setMore("idle");
    }

    function apply(id: string, change: InboxChange): void {
      if (closed) return;
      const { page: known, view: ofView, filter: ofFilter, agentId: me, onNewMessages: announce } = current.current;
      const shown = { view: ofView, filter: ofFilter, agentId: me };
      if (!withInboxChange(known, id, change, shown)) {
        readLater(id);
        return;
      }
      recent.current.delete(id);
      recent.current.set(id, change);
      for (const [one, { readAt }] of recent.current)
        if (readAt < change.readAt - RECENT_MS) recent.current.delete(one);
      const unread = takeNewMessages(announced, change.row ? [change.row] : [], me);
      if (unread.length > 0) announce(unread);
      // Updates the newest state: other changes may be waiting to be rendered.
      setPage((page) => withInboxChange(page, id, change, shown) ?? page);
    }

    function readLater(id: string): void {
      changedIds.add(id);
      readAfter(SETTLE_MS);
    }

    function readAfter(ms: number): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reads.current = reads.current.then(read);
      }, ms);
    }

    readAll.current = () => {
      readsAll = true;
      readAfter(SETTLE_MS);
    };
    const socket = openLiveSocket({
      path: () => "/admin/inbox/socket",
      onOpen() {
        setConnection("live");
        // Hints sent while the connection was down are lost.
        readAll.current();
      },
      onText(text) {
        const hint = parseInboxHint(text);
        if (!hint) return;
        const { session_id: id, change } = hint;
        if (change) {
          // After a read that may have begun before the change.
          reads.current = reads.current.then(() => apply(id, change));
        } else {
          readLater(id);
        }
      },
      async onDown(attempts) {
        setConnection("connecting");
        // A session that ended while the connection was down: a refused upgrade doesn't say why.
        if (attempts >= ATTEMPTS_BEFORE_CHECK && (await isSignedOut()) && !closed) end();
      },
      onEnd: end,
    });
    function end(): void {
      socket.close();
      setConnection("signedOut");
    }
    return () => {
      closed = true;
      clearTimeout(timer);
      socket.close();
    };
  }, []);

  // By the server's clock: this computer's may be wrong.
  const { changesAt, readAt } = page;
  useEffect(() => {
    if (changesAt === null) return;
    const timer = setTimeout(() => readAll.current(), Math.min(changesAt - readAt, WAKE_MAX_MS));
    return () => clearTimeout(timer);
  }, [changesAt, readAt]);

  const loadMore = useCallback(() => {
    if (loadingMore.current || current.current.page.next === null) return;
    loadingMore.current = true;
    setMore("loading");
    reads.current = reads.current.then(async () => {
      const { page: known, list: requested } = current.current;
      const query = queryOf(requested, { after: known.next ?? "", limit: String(PAGE_ROWS) });
      const response = known.next === null ? null : await readInbox(query);
      loadingMore.current = false;
      if (current.current.list !== requested) return;
      setMore(response || known.next === null ? "idle" : "failed");
      if (!response) return;
      setPage((now) => (now.next === known.next ? joined(now, response) : now));
    });
  }, []);

  const refresh = useCallback(() => readAll.current(), []);
  return { ...page, connection, more, loadMore, refresh };
}

function joined(list: InboxPage, next: InboxPage): InboxPage {
  const known = new Set(list.rows.map(({ sessionId }) => sessionId));
  return { ...next, rows: [...list.rows, ...next.rows.filter(({ sessionId }) => !known.has(sessionId))] };
}

/** Reads as many rows as were loaded, so that the list does not end above the scroll position. */
async function readLoaded(requested: string, rows: number): Promise<InboxPage | null> {
  let list: InboxPage | null = null;
  do {
    const limit = Math.min(Math.max(rows - (list?.rows.length ?? 0), 1), PAGE_MAX);
    const query = queryOf(requested, { limit: String(limit), ...(list?.next && { after: list.next }) });
    const page = await readInbox(query);
    if (!page) return null;
    list = list ? joined(list, page) : page;
  } while (list.next !== null && list.rows.length < rows);
  return list;
}

function queryOf(list: string, more: Record<string, string>): URLSearchParams {
  return new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(list)), ...more });
}

async function isSignedOut(): Promise<boolean> {
  try {
    const { redirected, status } = await fetch("/admin/inbox?ids=");
    return redirected || status === 404;
  } catch {
    return false;
  }
}

async function readInbox(query: URLSearchParams): Promise<InboxPage | null> {
  try {
    const response = await fetch(`/admin/inbox?${query}`);
    return response.ok ? ((await response.json()) as InboxPage) : null;
  } catch {
    return null;
  }
}
