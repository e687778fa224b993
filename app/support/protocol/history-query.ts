/** Messages that a browser gets when it opens a conversation. It asks for earlier ones as they are needed. */
export const OPENING_MESSAGES = 60;
/** Most messages per request for earlier ones. */
export const HISTORY_MAX_MESSAGES = 500;

/** Narrows a conversation from `since` on, the number of a message, down to a part of it. */
export type HistoryPart = {
  /** At most so many, the newest, unless they come after a message that is known and no more than a page behind. */
  last: number | null;
  /** Only messages before this one. */
  before: number | null;
};

/** Reads the query of a URL. What is not a number above 0 counts as missing. */
export function parseHistoryQuery(params: URLSearchParams): HistoryPart & { since: number } {
  const positive = (name: string) => {
    const value = Number(params.get(name));
    return value > 0 ? value : null;
  };
  return { since: positive("since") ?? 0, last: positive("last"), before: positive("before") };
}
