import { type InboxChange, withInboxChange } from "./inbox-change.ts";
import { type InboxPage, type InboxView, type ListFilter, withChanges } from "./inbox-view.ts";

/** A page that was read this long before a hint doesn't come after it. Longer than a page takes to load. */
const RECENT_MS = 60_000;
/** Pages and hints are read on different machines. */
const CLOCKS_APART_MS = 1000;

export type MoreState = "idle" | "loading" | "failed";
/** The list that an agent has chosen. */
export type ShownList = { view: InboxView; filter: ListFilter | null; agentId: string };

/** The list of conversations in an open console. */
export type InboxState = {
  readonly page: InboxPage;
  readonly connection: "connecting" | "live" | "signedOut";
  /** How reading the next page goes. */
  readonly more: MoreState;
  /** The last hint of each conversation, for a page that was read before it and comes after it. */
  readonly recent: ReadonlyMap<string, InboxChange>;
};

export type InboxEvent =
  | { type: "connected" | "disconnected" | "signedOut" }
  /** The console's page has loaded, perhaps for another list. */
  | { type: "loaded"; page: InboxPage; shown: ShownList }
  /** A hint has said what a conversation is now. */
  | { type: "changed"; sessionId: string; change: InboxChange; shown: ShownList }
  /** The whole list was read again, as far as it is shown. */
  | { type: "allRead"; page: InboxPage }
  /** Only the conversations `ids` were read again. `page` has those that still exist. */
  | { type: "someRead"; ids: string[]; page: InboxPage; shown: ShownList }
  | { type: "moreAsked" }
  /** `after`: the cursor that was asked for. `page`: null if that failed. */
  | { type: "moreRead"; after: string | null; page: InboxPage | null };

export function newInbox(page: InboxPage): InboxState {
  return { page, connection: "connecting", more: "idle", recent: new Map() };
}

export function reduceInbox(state: InboxState, event: InboxEvent): InboxState {
  switch (event.type) {
    case "connected":
      return { ...state, connection: "live" };
    case "disconnected":
      return { ...state, connection: "connecting" };
    case "signedOut":
      return { ...state, connection: "signedOut" };
    case "loaded":
      return { ...state, page: withRecent(event.page, state.recent, event.shown), more: "idle" };
    case "changed": {
      const { sessionId, change, shown } = event;
      const page = withInboxChange(state.page, sessionId, change, shown) ?? state.page;
      return { ...state, page, recent: noteRecent(state.recent, sessionId, change) };
    }
    case "allRead":
      return { ...state, page: event.page, more: "idle" };
    case "someRead":
      return { ...state, page: withRead(state.page, event) };
    case "moreAsked":
      return { ...state, more: "loading" };
    case "moreRead": {
      const { after, page } = event;
      const more = page || after === null ? "idle" : "failed";
      return { ...state, more, page: page && state.page.next === after ? joined(state.page, page) : state.page };
    }
    default:
      event satisfies never;
      return state;
  }
}

/** Returns a list followed by its next page. */
export function joined(list: InboxPage, next: InboxPage): InboxPage {
  const known = new Set(list.rows.map(({ sessionId }) => sessionId));
  return { ...next, rows: [...list.rows, ...next.rows.filter(({ sessionId }) => !known.has(sessionId))] };
}

function withRecent(loaded: InboxPage, recent: InboxState["recent"], shown: ShownList): InboxPage {
  return [...recent]
    .filter(([, { readAt }]) => readAt >= loaded.readAt - CLOCKS_APART_MS)
    .reduce((page, [sessionId, change]) => withInboxChange(page, sessionId, change, shown) ?? page, loaded);
}

function noteRecent(recent: InboxState["recent"], sessionId: string, change: InboxChange): InboxState["recent"] {
  const others = [...recent].filter(([id, { readAt }]) => id !== sessionId && readAt >= change.readAt - RECENT_MS);
  return new Map([...others, [sessionId, change]]);
}

function withRead(known: InboxPage, { ids, page, shown }: Extract<InboxEvent, { type: "someRead" }>): InboxPage {
  const { counts, changesAt, mentions, readAt, rows: changed } = page;
  const rows = withChanges(known, { asked: ids, changed, ...shown, now: readAt });
  return { ...known, counts, changesAt, mentions, readAt, rows };
}
