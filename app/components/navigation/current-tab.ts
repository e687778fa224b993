/** The tab that a page belongs to: the longest of their paths that the page's path begins with; null when none does. */
export function currentTab(tabs: { to: string }[], pathname: string): string | null {
  const fitting = tabs.filter(({ to }) => pathname === to || pathname.startsWith(`${to}/`));
  return fitting.reduce<string | null>((best, { to }) => (to.length > (best?.length ?? 0) ? to : best), null);
}
