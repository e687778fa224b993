/** Returns the tab whose path is the longest prefix of the page's path, or null if none is. */
export function currentTab(tabs: { to: string }[], pathname: string): string | null {
  const fitting = tabs.filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  return fitting.reduce<string | null>((best, { to }) => (to.length > (best?.length ?? 0) ? to : best), null);
}
