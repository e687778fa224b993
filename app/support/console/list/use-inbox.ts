import { useCallback, useEffect, useRef, useState } from "react";
import { openLiveSocket } from "#app/support/client/live-socket.ts";
import { reconnectDelay } from "#app/support/client/reconnect-delay.ts";
import { type InboxPage, type InboxRow, type InboxView, withChanges } from "#app/support/inbox/inbox-view.ts";
import { parseHint } from "#app/support/protocol/frames.ts";
import { nothingAnnounced, takeNewMessages } from "./new-messages.ts";

/** Several hints in a row make one question. */
const SETTLE_MS = 100;
/** More than this at once, and the list is read anew. */
const IDS_MOST = 50;
const NEXT_PAGE = 200;
/** What the server gives at once when the whole list is read anew. */
const WHOLE_PAGE = 500;

export type MoreState = "idle" | "loading" | "failed";

type Inbox = InboxPage & {
  connection: "connecting" | "live";
  more: MoreState;
  /** Reads the next page; does nothing at the end. */
  loadMore: () => void;
};

/**
 * The list of conversations, kept up to date by hints: what was hinted at is read anew and put in its place. Fetched
 * apart from the page's loaders: a failed revalidation would put the error page in the place of the answer that an agent
 * is writing. `onNewMessages`: conversations with something unread that was not there before.
 */
export function useInbox(
  loaded: InboxPage,
  { view, agentId, onNewMessages }: { view: InboxView; agentId: string; onNewMessages: (rows: InboxRow[]) => void },
): Inbox {
  const [page, setPage] = useState(loaded);
  const [connection, setConnection] = useState<Inbox["connection"]>("connecting");
  const [more, setMore] = useState<MoreState>("idle");
  const current = useRef({ page, view, agentId, onNewMessages });
  current.current = { page, view, agentId, onNewMessages };
  /** Readings come one after the other: a page that was asked for before a change must not be added after it. */
  const reading = useRef(Promise.resolve());
  const loadingMore = useRef(false);
  useEffect(() => {
    setPage(loaded);
    setMore("idle");
  }, [loaded]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: one socket, from when it is there until it is not
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let closed = false;
    let asked = new Set<string>();
    let everything = false;
    let failures = 0;
    const heard = nothingAnnounced(loaded.readAt);

    async function read(): Promise<void> {
      const ids = [...asked];
      const all = everything || ids.length > IDS_MOST;
      asked = new Set();
      everything = false;
      const { view: askedView, page: before } = current.current;
      const answer = all
        ? await readWhole(askedView, before.rows.length)
        : await readInbox(new URLSearchParams({ view: askedView, ids: ids.join(",") }));
      if (closed) return;
      if (!answer) {
        everything = true;
        readAfter(reconnectDelay(failures, Math.random()));
        failures += 1;
        return;
      }
      failures = 0;
      const { view: shown, agentId: me, onNewMessages: tell } = current.current;
      const news = takeNewMessages(heard, answer.rows, me);
      if (news.length > 0) tell(news);
      // Another view has been loaded by itself.
      if (shown !== askedView) return;
      setPage((list) =>
        all
          ? answer
          : {
              ...list,
              counts: answer.counts,
              rows: withChanges(list, { asked: ids, changed: answer.rows, view: shown, agentId: me }),
            },
      );
      if (all) setMore("idle");
    }

    function readAfter(ms: number): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reading.current = reading.current.then(read);
      }, ms);
    }

    const socket = openLiveSocket({
      path: () => "/admin/inbox/socket",
      onOpen() {
        setConnection("live");
        // Hints are not kept for those who were away.
        everything = true;
        readAfter(SETTLE_MS);
      },
      onText(text) {
        const hint = parseHint(text);
        if (!hint) return;
        asked.add(hint.session_id);
        readAfter(SETTLE_MS);
      },
      onDown: () => setConnection("connecting"),
    });
    return () => {
      closed = true;
      clearTimeout(timer);
      socket.close();
    };
  }, []);

  const loadMore = useCallback(() => {
    if (loadingMore.current || current.current.page.next === null) return;
    loadingMore.current = true;
    setMore("loading");
    reading.current = reading.current.then(async () => {
      const { page: list, view: asked } = current.current;
      const query = new URLSearchParams({ view: asked, after: list.next ?? "", limit: String(NEXT_PAGE) });
      const answer = list.next === null ? null : await readInbox(query);
      loadingMore.current = false;
      if (current.current.view !== asked) return;
      setMore(answer || list.next === null ? "idle" : "failed");
      if (!answer) return;
      setPage((now) => (now.next === list.next ? joined(now, answer) : now));
    });
  }, []);

  return { ...page, connection, more, loadMore };
}

function joined(list: InboxPage, next: InboxPage): InboxPage {
  const known = new Set(list.rows.map(({ sessionId }) => sessionId));
  return { ...next, rows: [...list.rows, ...next.rows.filter(({ sessionId }) => !known.has(sessionId))] };
}

/** As many rows as were there, so that the list does not end above where somebody has scrolled to. */
async function readWhole(view: InboxView, rows: number): Promise<InboxPage | null> {
  let list: InboxPage | null = null;
  do {
    const limit = Math.min(Math.max(rows - (list?.rows.length ?? 0), 1), WHOLE_PAGE);
    const query = new URLSearchParams({ view, limit: String(limit), ...(list?.next && { after: list.next }) });
    const answer = await readInbox(query);
    if (!answer) return null;
    list = list ? joined(list, answer) : answer;
  } while (list.next !== null && list.rows.length < rows);
  return list;
}

async function readInbox(query: URLSearchParams): Promise<InboxPage | null> {
  try {
    const response = await fetch(`/admin/inbox?${query}`);
    return response.ok ? ((await response.json()) as InboxPage) : null;
  } catch {
    return null;
  }
}
