import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { isOpen, isRefillOpen } from "#app/orders/rules/order-status.ts";
import type { readLiveOrders } from "./order-rows.server.ts";

type Live = Awaited<ReturnType<typeof readLiveOrders>>;
type Watched = Pick<
  Live["orders"][number],
  "id" | "status" | "remains" | "startCount" | "refunded" | "refill" | "cancellation"
>;

const FIRST_MS = 2000;
const LAST_MS = 15_000;
const SLOWER = 1.5;
/** As many as the server answers at once. */
const MAX_IDS = 100;

/**
 * The rows as they stand now. While the page is seen and some are under way, a small request asks how those stand: often
 * while they move, less often while they do not. What has not changed is answered by 304.
 */
export function useLiveOrders<Row extends Watched>(rows: Row[]): Row[] {
  const [updates, setUpdates] = useState<ReadonlyMap<number, Watched>>(new Map());
  const { revalidate } = useRevalidator();
  const seen = useRef("");

  // What the page itself has loaded since is newer. Row by row: a list made anew at each render would never settle.
  const [loaded, setLoaded] = useState(rows);
  if (loaded.length !== rows.length || loaded.some((row, at) => row !== rows[at])) {
    setLoaded(rows);
    setUpdates(new Map());
  }

  const shown = rows.map((row) => ({ ...row, ...updates.get(row.id) }));
  const watched = shown
    .filter((row) => isOpen(row) || isRefillOpen(row.refill))
    .slice(0, MAX_IDS)
    .map(({ id }) => id)
    .join(",");

  useEffect(() => {
    if (watched === "") return;
    let wait = FIRST_MS;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leaving = new AbortController();

    async function ask() {
      try {
        // The browser asks with the ETag it has and gives the kept answer when nothing has changed.
        const response = await fetch(`/dashboard/orders/live?ids=${watched}`, { signal: leaving.signal });
        const text = await response.text();
        const changed = response.ok && text !== seen.current;
        wait = changed ? FIRST_MS : Math.min(LAST_MS, wait * SLOWER);
        if (response.ok) {
          seen.current = text;
          const { orders } = JSON.parse(text) as Live;
          // Also when it is what was answered before: a page's own load that began earlier may have come in between.
          setUpdates(new Map(orders.map((order) => [order.id, order])));
          // An end moves the balance too, which other parts of the page show.
          if (changed && orders.some((order) => !isOpen(order))) revalidate();
        }
      } catch {
        wait = Math.min(LAST_MS, wait * SLOWER);
      }
      schedule();
    }

    function schedule() {
      clearTimeout(timer);
      if (leaving.signal.aborted || document.visibilityState !== "visible") return;
      timer = setTimeout(ask, wait);
    }

    function onVisible() {
      wait = FIRST_MS;
      schedule();
    }

    schedule();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      leaving.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [watched, revalidate]);

  return shown;
}
