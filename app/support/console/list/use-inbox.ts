import { useCallback, useEffect, useReducer, useRef, useState } from "react";
import { type InboxState, newInbox, reduceInbox } from "#app/support/inbox/inbox-state.ts";
import type { InboxPage, InboxRow, InboxView, SavedFilter } from "#app/support/inbox/inbox-view.ts";
import { DAY_MS } from "#app/time.ts";
import { type InOrder, openInboxFeed, readMore } from "./inbox-feed.ts";

/** A browser's timer holds no more than 24 days. */
const WAKE_MAX_MS = DAY_MS;

type Inbox = InboxPage &
  Pick<InboxState, "connection" | "more"> & {
    /** Reads the next page; does nothing at the end. */
    loadMore: () => void;
    /** Reads the list again. */
    refresh: () => void;
  };

/**
 * Keeps the list of conversations up to date. Fetches without the page's loaders, because a failed revalidation would replace
 * the reply that an agent is writing with the error page. `onNewMessages` gets the conversations with something new and
 * unread.
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
  const [{ page, connection, more }, tell] = useReducer(reduceInbox, loaded, newInbox);
  const list = filter ? `filter=${filter.id}` : `view=${view}`;
  const now = { page, list, shown: { view, filter, agentId }, onNewMessages };
  const current = useRef(now);
  current.current = now;
  const [inOrder] = useState(newOrder);
  const feed = useRef<ReturnType<typeof openInboxFeed> | null>(null);
  useEffect(() => tell({ type: "loaded", page: loaded, shown: current.current.shown }), [loaded]);
  useEffect(() => {
    const opened = openInboxFeed({
      current: () => current.current,
      tell,
      onNewMessages: (rows) => current.current.onNewMessages(rows),
      inOrder,
    });
    feed.current = opened;
    return opened.close;
  }, [inOrder]);
  const refresh = useCallback(() => feed.current?.refresh(), []);
  useDueRead(page, refresh);

  const isLoading = useRef(false);
  const loadMore = useCallback(() => {
    if (isLoading.current || current.current.page.next === null) return;
    isLoading.current = true;
    tell({ type: "moreAsked" });
    inOrder(async () => {
      const read = await readMore(() => current.current);
      isLoading.current = false;
      if (read) tell(read);
    });
  }, [inOrder]);
  return { ...page, connection, more, loadMore, refresh };
}

/** Reads the list when it changes by itself. By the server's clock: this computer's may be wrong. */
function useDueRead({ changesAt, readAt }: InboxPage, read: () => void): void {
  useEffect(() => {
    if (changesAt === null) return;
    const timer = setTimeout(read, Math.min(changesAt - readAt, WAKE_MAX_MS));
    return () => clearTimeout(timer);
  }, [changesAt, readAt, read]);
}

/** Returns what runs one read after the other, so that a page requested before a change is not added after it. */
function newOrder(): InOrder {
  let last = Promise.resolve();
  return (work) => {
    last = last.then(work);
  };
}
