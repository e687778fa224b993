import { openLiveSocket } from "#app/support/client/live-socket.ts";
import { reconnectDelay } from "#app/support/client/reconnect-delay.ts";
import { type InboxChange, parseInboxHint, withInboxChange } from "#app/support/inbox/inbox-change.ts";
import type { InboxEvent, ShownList } from "#app/support/inbox/inbox-state.ts";
import type { InboxPage, InboxRow } from "#app/support/inbox/inbox-view.ts";
import { isSignedOut, readConversations, readLoaded, readNextPage } from "./inbox-requests.ts";
import { nothingAnnounced, takeNewMessages } from "./new-messages.ts";

/** Hints that arrive within this time make one request. */
const SETTLE_MS = 100;
/** With more changed ids than this, the whole list is read again. */
const IDS_MAX = 50;
/** After this many failed sockets in a row, the console asks whether it is still signed in. */
const ATTEMPTS_BEFORE_CHECK = 2;

/** What the console shows now. `list`: its query. */
export type Shown = { page: InboxPage; list: string; shown: ShownList };
/** Runs work after the work given before it. */
export type InOrder = (work: () => Promise<void> | void) => void;

type Options = {
  current: () => Shown;
  tell: (event: InboxEvent) => void;
  /** Gets the conversations with something new and unread. */
  onNewMessages: (rows: InboxRow[]) => void;
  inOrder: InOrder;
};

/**
 * Follows the conversations of a list: each hint has what a conversation is now, which is put in its place. One that can't
 * be is read again.
 */
export function openInboxFeed({ current, tell, onNewMessages, inOrder }: Options) {
  const announced = nothingAnnounced(current().page.readAt);
  const changed = openChangedList(readChanged, inOrder);
  let isClosed = false;
  const socket = openLiveSocket({
    path: () => "/admin/inbox/socket",
    onOpen() {
      tell({ type: "connected" });
      // Hints sent while the connection was down are lost.
      changed.addAll();
    },
    onText(text) {
      const hint = parseInboxHint(text);
      const { session_id: id, change } = hint ?? {};
      // After a read that may have begun before the change.
      if (id !== undefined && change) inOrder(() => apply(id, change));
      else if (id !== undefined) changed.add(id);
    },
    async onDown(attempts) {
      tell({ type: "disconnected" });
      // A session that ended while the connection was down: a refused upgrade doesn't say why.
      if (attempts >= ATTEMPTS_BEFORE_CHECK && (await isSignedOut()) && !isClosed) end();
    },
    onEnd: end,
  });

  async function readChanged(ids: string[] | "all"): Promise<boolean> {
    const { list, page: before } = current();
    const page = ids === "all" ? await readLoaded(list, before.rows.length) : await readConversations(ids);
    if (isClosed) return true;
    if (!page) return false;
    announce(page.rows);
    // Another list loads by itself.
    if (current().list !== list) return true;
    tell(ids === "all" ? { type: "allRead", page } : { type: "someRead", ids, page, shown: current().shown });
    return true;
  }

  function apply(sessionId: string, change: InboxChange): void {
    if (isClosed) return;
    const { page, shown } = current();
    if (!withInboxChange(page, sessionId, change, shown)) {
      changed.add(sessionId);
      return;
    }
    if (change.row) announce([change.row]);
    tell({ type: "changed", sessionId, change, shown });
  }

  function announce(rows: InboxRow[]): void {
    const unread = takeNewMessages(announced, rows, current().shown.agentId);
    if (unread.length > 0) onNewMessages(unread);
  }

  function end(): void {
    socket.close();
    tell({ type: "signedOut" });
  }

  return {
    /** Reads the list again. */
    refresh: changed.addAll,
    close(): void {
      isClosed = true;
      changed.close();
      socket.close();
    },
  };
}

/** Collects what has changed, reads it a moment later, and after a failure everything. `read` resolves to false if it failed. */
function openChangedList(read: (ids: string[] | "all") => Promise<boolean>, inOrder: InOrder) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ids = new Set<string>();
  let isAll = false;
  let failures = 0;

  async function readNow(): Promise<void> {
    const wanted = isAll || ids.size > IDS_MAX ? "all" : [...ids];
    ids = new Set();
    isAll = false;
    if (await read(wanted)) {
      failures = 0;
      return;
    }
    isAll = true;
    readAfter(reconnectDelay(failures, Math.random()));
    failures += 1;
  }

  function readAfter(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => inOrder(readNow), ms);
  }

  return {
    add(id: string): void {
      ids.add(id);
      readAfter(SETTLE_MS);
    },
    addAll(): void {
      isAll = true;
      readAfter(SETTLE_MS);
    },
    close: () => clearTimeout(timer),
  };
}

/** Reads the next page of the list, unless it has ended. Resolves to null if the console shows another list since. */
export async function readMore(current: () => Shown): Promise<InboxEvent | null> {
  const { page, list } = current();
  const next = page.next === null ? null : await readNextPage(list, page.next);
  return current().list === list ? { type: "moreRead", after: page.next, page: next } : null;
}
