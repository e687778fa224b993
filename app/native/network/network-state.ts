/**
 * The network as far as it is known. "link" is what the device reports; "reach" is whether the last attempt reached our
 * server. Everything here is pure: the caller sends the probes.
 */
export type Network = { link: "up" | "down"; reach: "ok" | "doubted" | "lost"; plugin: boolean; failures: number };

export type Heard =
  /** From the native plugin, or from browser events, which count only while no plugin has reported. */
  | { type: "link"; from: "plugin" | "browser"; up: boolean }
  /** A request failed. If the page waited for it, the network is lost; otherwise a probe decides. */
  | { type: "failed"; awaited: boolean }
  | { type: "probe"; reached: boolean };

export const AT_FIRST: Network = { link: "up", reach: "ok", plugin: false, failures: 0 };

const PROBE_AFTER_MS = [1000, 2000, 5000, 10_000];

export function hear(network: Network, heard: Heard): Network {
  switch (heard.type) {
    case "link": {
      if (heard.from === "browser" && network.plugin) return network;
      const plugin = network.plugin || heard.from === "plugin";
      if (!heard.up) return { ...network, plugin, link: "down" };
      // A device that is back on a network has yet to reach us.
      const reach = network.reach === "lost" ? "lost" : "ok";
      return { plugin, link: "up", reach, failures: 0 };
    }
    case "failed":
      if (network.reach === "lost") return network;
      return { ...network, reach: heard.awaited ? "lost" : "doubted" };
    case "probe":
      if (heard.reached) return { ...network, reach: "ok", failures: 0 };
      return { ...network, reach: "lost", failures: network.failures + 1 };
    default:
      return heard satisfies never;
  }
}

export function isOffline({ link, reach }: Network): boolean {
  return link === "down" || reach === "lost";
}

/** Returns in how many milliseconds to probe the server; null without a reason or a link. */
export function probeIn({ link, reach, failures }: Network): number | null {
  if (link === "down" || reach === "ok") return null;
  if (failures === 0) return 0;
  return PROBE_AFTER_MS[Math.min(failures, PROBE_AFTER_MS.length) - 1] ?? null;
}

/** Messages of browsers and plugins for a request that did not get through; the spec's list first. */
const NETWORK_ERRORS =
  /name.not.resolved|internet.disconnected|network.changed|failed to fetch|request failed|load failed|networkerror/i;

/** Returns whether the error is about the network, not about a response. */
export function isNetworkError(error: unknown): boolean {
  if (error instanceof DOMException && error.name === "AbortError") return false;
  return error instanceof Error && NETWORK_ERRORS.test(error.message);
}
