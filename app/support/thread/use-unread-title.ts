import { useLocation } from "@remix-run/react";
import { useEffect } from "react";
import { badgeText } from "./badge-text.ts";

/** Puts the number of unread messages in front of the title of the page. */
export function useUnreadTitle(unread: number, isOn: boolean): void {
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each page has its own title
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
