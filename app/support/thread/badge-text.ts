/** Returns the exact count up to nine, then "9+". */
export function badgeText(unread: number): string {
  return unread > 9 ? "9+" : String(unread);
}
