import { joined } from "#app/support/inbox/inbox-state.ts";
import type { InboxPage } from "#app/support/inbox/inbox-view.ts";

/** The requests of the console's list. None of them throws. */

const PAGE_ROWS = 200;
/** The server's limit per response. */
const PAGE_MAX = 500;

/** Reads the conversations with these session ids. Resolves to null if the request fails. */
export function readConversations(ids: string[]): Promise<InboxPage | null> {
  return readInbox({ ids: ids.join(",") });
}

/** Reads as many rows of a list as were loaded, so that it does not end above the scroll position. */
export async function readLoaded(list: string, rows: number): Promise<InboxPage | null> {
  let read: InboxPage | null = null;
  do {
    const limit = Math.min(Math.max(rows - (read?.rows.length ?? 0), 1), PAGE_MAX);
    const page = await readInbox({ ...queryOf(list), limit: String(limit), ...(read?.next && { after: read.next }) });
    if (!page) return null;
    read = read ? joined(read, page) : page;
  } while (read.next !== null && read.rows.length < rows);
  return read;
}

/** Reads the page of a list that follows the cursor `after`. */
export function readNextPage(list: string, after: string): Promise<InboxPage | null> {
  return readInbox({ ...queryOf(list), after, limit: String(PAGE_ROWS) });
}

export async function isSignedOut(): Promise<boolean> {
  try {
    const { redirected, status } = await fetch("/admin/inbox?ids=");
    return redirected || status === 404;
  } catch {
    return false;
  }
}

function queryOf(list: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(list));
}

async function readInbox(query: Record<string, string>): Promise<InboxPage | null> {
  try {
    const response = await fetch(`/admin/inbox?${new URLSearchParams(query)}`);
    return response.ok ? ((await response.json()) as InboxPage) : null;
  } catch {
    return null;
  }
}
