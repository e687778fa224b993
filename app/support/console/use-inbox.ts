import { useCallback, useEffect, useRef, useState } from "react";
import { type InboxPage, type InboxRow, type InboxView, withChanges } from "../inbox-view.ts";
import { openLiveSocket } from "../live-socket.ts";
import { parseHint } from "../protocol.ts";

/** Several hints in a row make one question. */
const SETTLE_MS = 100;
/** More than this at once, and the list is read anew. */
const IDS_MOST = 50;

type Inbox = InboxPage & {
  connection: "connecting" | "live";
  /** Reads the next page; does nothing at the end. */
  loadMore: () => void;
};

/**
 * The list of conversations, kept up to date by hints: what was hinted at is read anew and put in its place. Fetched
 * apart from the page's loaders: a failed revalidation would put the error page in the place of the answer that an agent
 * is writing. `onNews`: conversations with something unread that was not there before.
 */
export function useInbox(
  loaded: InboxPage,
  { view, agentId, onNews }: { view: InboxView; agentId: string; onNews: (rows: InboxRow[]) => void },
): Inbox {
  const [page, setPage] = useState(loaded);
  const [connection, setConnection] = useState<Inbox["connection"]>("connecting");
  const current = useRef({ page, view, agentId, onNews });
  current.current = { page, view, agentId, onNews };
  const loadingMore = useRef(false);
  useEffect(() => setPage(loaded), [loaded]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let closed = false;
    let reading = Promise.resolve();
    let asked = new Set<string>();
    let everything = false;
    /** What was heard of each conversation, so that news is told once. */
    const heardOf = new Map<string, number>();
    let since = Date.now();

    async function read(): Promise<void> {
      const ids = [...asked];
      const all = everything || ids.length > IDS_MOST;
      asked = new Set();
      everything = false;
      const before = current.current;
      const query = all
        ? new URLSearchParams({ view: before.view, limit: String(before.page.rows.length) })
        : new URLSearchParams({ view: before.view, ids: ids.join(",") });
      const answer = await readInbox(query);
      // When it cannot be had now, the next connect asks again. Another view has been loaded by itself.
      if (!answer || closed) return;
      const { view: shown, agentId: me } = current.current;
      tell(answer.rows, me);
      if (shown !== before.view) return;
      setPage((list) =>
        all
          ? answer
          : {
              ...list,
              counts: answer.counts,
              rows: withChanges(list, { asked: ids, changed: answer.rows, view: shown, agentId: me }),
            },
      );
    }

    function tell(rows: InboxRow[], me: string): void {
      const news = rows.filter((row) => {
        const isNew = row.unread && row.updatedAt > (heardOf.get(row.sessionId) ?? since);
        heardOf.set(row.sessionId, row.updatedAt);
        return isNew && row.status === "open" && (row.assigneeId === null || row.assigneeId === me);
      });
      if (news.length > 0) current.current.onNews(news);
    }

    function readSoon(): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        reading = reading.then(read);
      }, SETTLE_MS);
    }

    const newest = current.current.page.rows[0]?.updatedAt;
    if (newest !== undefined) since = Math.max(newest, since);
    const socket = openLiveSocket({
      path: () => "/admin/inbox/socket",
      onOpen() {
        setConnection("live");
        // Hints are not kept for those who were away.
        everything = true;
        readSoon();
      },
      onText(text) {
        const hint = parseHint(text);
        if (!hint) return;
        asked.add(hint.session_id);
        readSoon();
      },
      onDown: () => setConnection("connecting"),
    });
    return () => {
      closed = true;
      clearTimeout(timer);
      socket.close();
    };
  }, []);

  const loadMore = useCallback(async () => {
    const { page: list, view: asked } = current.current;
    if (loadingMore.current || list.next === null) return;
    loadingMore.current = true;
    const answer = await readInbox(new URLSearchParams({ view: asked, after: list.next }));
    loadingMore.current = false;
    if (!answer || current.current.view !== asked) return;
    setPage((now) => {
      const known = new Set(now.rows.map(({ sessionId }) => sessionId));
      const rows = [...now.rows, ...answer.rows.filter(({ sessionId }) => !known.has(sessionId))];
      return { rows, next: answer.next, counts: answer.counts };
    });
  }, []);

  return { ...page, connection, loadMore };
}

async function readInbox(query: URLSearchParams): Promise<InboxPage | null> {
  try {
    const response = await fetch(`/admin/inbox?${query}`);
    return response.ok ? ((await response.json()) as InboxPage) : null;
  } catch {
    return null;
  }
}
