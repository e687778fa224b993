import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import { badgeText } from "./badge-text.ts";

/** How many are unread, before the title of whichever page is open. */
export function useUnreadTitle(unread: number, isOn: boolean): void {
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another title
  useEffect(() => {
    if (unread === 0 || !isOn) return;
    const title = document.title;
    const counted = `(${badgeText(unread)}) ${title}`;
    document.title = counted;
    return () => {
      if (document.title === counted) document.title = title;
    };
  }, [unread, pathname, isOn]);
}
