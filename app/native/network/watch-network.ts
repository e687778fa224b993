import {
  applyEvent,
  INITIAL,
  isNetworkError,
  isOffline,
  isReachable,
  LOST_AFTER_MS,
  type Network,
  type NetworkEvent,
  probeIn,
} from "./network-state.ts";

/** Watches the network for the whole page: collects events, probes the server and notifies listeners. */

const PROBE_PATH = "/favicon.svg";
/** As long as the screen waits for a network that fails. */
const PROBE_TIMEOUT_MS = LOST_AFTER_MS;
/** Paths that Remix fetches for the page, which cannot be shown without them. */
const AWAITED = /\.data$|^\/__manifest$/;
/** The chat says itself that it is not connected. */
const CHAT = /^\/support\//;

/** After this many, something other than the network is wrong. */
const MAX_RETRIES = 5;

let network: Network = INITIAL;
let timer: ReturnType<typeof setTimeout> | undefined;
let leaving = false;
const listeners = new Set<() => void>();

/** Listens to the browser and to every request of the page. Call once, before hydration. */
export function watchNetwork(): void {
  const send = window.fetch;
  window.fetch = async (input, init) => {
    const request = input instanceof Request ? input : null;
    const url = request?.url ?? String(input);
    const method = init?.method ?? request?.method ?? "GET";
    const signal = init?.signal ?? request?.signal;
    // Remix replaces the whole page when a read of its data fails, so such a read waits for the network and tries again.
    for (let retries = method === "GET" && isAwaited(url) ? MAX_RETRIES : 0; ; retries--) {
      try {
        return await send(input, init);
      } catch (error) {
        noteFailure(url, error);
        if (retries === 0 || !isNetworkError(error)) throw error;
        await networkReturns(signal);
      }
    }
  };
  if (!navigator.onLine) reportNetwork({ type: "link", from: "browser", up: false });
  window.addEventListener("online", () => reportNetwork({ type: "link", from: "browser", up: true }));
  window.addEventListener("offline", () => reportNetwork({ type: "link", from: "browser", up: false }));
  // Requests aborted by leaving the page say nothing about the network.
  window.addEventListener("beforeunload", leave);
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", () => {
    leaving = false;
  });

  function noteFailure(url: string, error: unknown): void {
    const { origin, pathname } = new URL(url, location.href);
    if (origin !== location.origin || pathname === PROBE_PATH || CHAT.test(pathname) || !isNetworkError(error)) return;
    reportNetwork({ type: "failed" });
  }
}

function isAwaited(url: string): boolean {
  const { origin, pathname } = new URL(url, location.href);
  return origin === location.origin && AWAITED.test(pathname);
}

/** Rejects with the signal's reason if that comes first. */
function networkReturns(signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = onNetworkChange(() => {
      if (reachableNow()) end(resolve);
    });
    const abort = () => end(() => reject(signal?.reason));
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) abort();
    else if (reachableNow()) end(resolve);

    function end(settle: () => void): void {
      stop();
      signal?.removeEventListener("abort", abort);
      settle();
    }
  });
}

export function reportNetwork(event: NetworkEvent): void {
  if (leaving && event.type === "failed") return;
  const before = network;
  network = applyEvent(network, event, Date.now());
  // A second failure leaves the probe of the first in place.
  if (network === before) return;
  clearTimeout(timer);
  const wait = probeIn(network);
  if (wait !== null) timer = setTimeout(probe, wait);
  if (before.link !== network.link || before.reach !== network.reach) for (const listener of listeners) listener();
}

/** Probes the server at once. Resolves to whether it responded. */
export async function probeNow(): Promise<boolean> {
  clearTimeout(timer);
  await probe();
  return network.reach === "ok";
}

export function offlineNow(): boolean {
  return isOffline(network);
}

export function reachableNow(): boolean {
  return isReachable(network);
}

export function onNetworkChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function probe(): Promise<void> {
  const reached = await fetch(PROBE_PATH, {
    method: "HEAD",
    cache: "no-store",
    signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
  }).then(
    () => true,
    () => false,
  );
  reportNetwork({ type: "probe", reached });
}

/** A page that confirms before it is left may stay open after all. */
const STAYED_AFTER_MS = 3000;

function leave(): void {
  leaving = true;
  setTimeout(() => {
    leaving = false;
  }, STAYED_AFTER_MS);
}
