import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { isOpen, isRefillOpen } from "#app/orders/rules/order-status.ts";
import type { liveOrdersOf } from "./order-rows.server.ts";
import { FIRST_WAIT_MS, pollWait } from "./poll-wait.ts";

type Live = ReturnType<typeof liveOrdersOf>;
type Watched = Pick<
  Live["orders"][number],
  "id" | "status" | "remains" | "startCount" | "refunded" | "refillUntil" | "refill" | "cancellation"
>;

/** The server's limit per request. */
const MAX_IDS = 100;

/**
 * Returns the rows with their current status. While the page is visible, polls the open orders: often while they change,
 * less often while they don't. An unchanged response is a 304.
 */
export function useLiveOrders<Row extends Watched & { createdAt: number }>(rows: Row[]): Row[] {
  const [updates, setUpdates] = useState<ReadonlyMap<number, Watched>>(new Map());
  const { revalidate } = useRevalidator();
  const seen = useRef("");

  // Rows that the page has loaded since are newer. Compares rows, because a new array on each render would loop.
  const [loaded, setLoaded] = useState(rows);
  if (loaded.length !== rows.length || loaded.some((row, at) => row !== rows[at])) {
    setLoaded(rows);
    setUpdates(new Map());
  }

  const shown = rows.map((row) => ({ ...row, ...updates.get(row.id) }));
  const open = shown.filter((row) => isOpen(row) || isRefillOpen(row.refill)).slice(0, MAX_IDS);
  const watched = open.map(({ id }) => id).join(",");
  const newestAt = Math.max(0, ...open.map(({ createdAt }) => createdAt));

  useEffect(() => {
    if (watched === "") return;
    let wait = FIRST_WAIT_MS;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const leaving = new AbortController();

    async function ask() {
      try {
        // The browser sends the ETag and returns its cached response on a 304.
        const response = await fetch(`/dashboard/orders/live?ids=${watched}`, { signal: leaving.signal });
        const text = await response.text();
        const changed = response.ok && text !== seen.current;
        wait = changed ? FIRST_WAIT_MS : pollWait(wait, newestAt, Date.now());
        if (response.ok) {
          seen.current = text;
          const { orders } = JSON.parse(text) as Live;
          // Applied even when unchanged, because the page may have loaded an older state in between.
          setUpdates(new Map(orders.map((order) => [order.id, order])));
          // A closed order also changes the balance, which other parts of the page show.
          if (changed && orders.some((order) => !isOpen(order))) revalidate();
        }
      } catch {
        wait = pollWait(wait, newestAt, Date.now());
      }
      schedule();
    }

    function schedule() {
      clearTimeout(timer);
      if (leaving.signal.aborted || document.visibilityState !== "visible") return;
      timer = setTimeout(ask, wait);
    }

    function onVisible() {
      wait = FIRST_WAIT_MS;
      schedule();
    }

    schedule();
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      leaving.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [watched, newestAt, revalidate]);

  return shown;
}
