import { useCallback, useEffect, useRef, useState } from "react";
import { openLiveSocket } from "#app/support/client/live-socket.ts";
import { reconnectDelay } from "#app/support/client/reconnect-delay.ts";
import {
  type InboxPage,
  type InboxRow,
  type InboxView,
  type SavedFilter,
  withChanges,
} from "#app/support/inbox/inbox-view.ts";
import { parseHint } from "#app/support/protocol/frames.ts";
import { nothingAnnounced, takeNewMessages } from "./new-messages.ts";

/** Hints that arrive within this time make one request. */
const SETTLE_MS = 100;
/** With more changed ids than this, the whole list is read again. */
const IDS_MAX = 50;
const PAGE_ROWS = 200;
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
 * Keeps the list of conversations up to date: each hint names a conversation, which is read again and put in its place.
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
  useEffect(() => {
    setPage(loaded);
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
        const hint = parseHint(text);
        if (!hint) return;
        changedIds.add(hint.session_id);
        readAfter(SETTLE_MS);
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
