/** Exact up to nine. */
export function badgeText(unread: number): string {
  return unread > 9 ? "9+" : String(unread);
}
