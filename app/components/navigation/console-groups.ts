import { currentTab } from "./current-tab.ts";

/** `group`: the label of its group. */
export type ConsolePage = { to: string; label: string; group: string };

/** Pages of the console that a person may open. The first page of a group opens with it. */
export type ConsoleGroup = { label: string; pages: ConsolePage[] };

/** Returns the listed page that a path belongs to, or null if it belongs to none. */
export function consolePageOf(groups: ConsoleGroup[], pathname: string): ConsolePage | null {
  const pages = groups.flatMap((group) => group.pages);
  const to = currentTab(pages, pathname);
  // All paths begin with that of the conversations.
  const isElsewhere = to === "/admin" && !/^\/admin(\/support\/.*)?\/?$/.test(pathname);
  return isElsewhere ? null : (pages.find((page) => page.to === to) ?? null);
}
