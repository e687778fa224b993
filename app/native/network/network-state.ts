/**
 * The network as far as it is known. "link" is what the device reports; "reach" is whether the last attempt reached our
 * server. Everything here is pure: the caller sends the probes.
 */
export type Network = { link: "up" | "down"; reach: "ok" | "uncertain" | "lost"; plugin: boolean; failures: number };

export type NetworkEvent =
  /** From the native plugin, or from browser events, which count only while no plugin has reported. */
  | { type: "link"; from: "plugin" | "browser"; up: boolean }
  /** A request failed. If the page waited for it, the network is lost; otherwise a probe decides. */
  | { type: "failed"; awaited: boolean }
  | { type: "probe"; reached: boolean };

export const INITIAL: Network = { link: "up", reach: "ok", plugin: false, failures: 0 };

const PROBE_AFTER_MS = [1000, 2000, 5000, 10_000];

export function applyEvent(network: Network, event: NetworkEvent): Network {
  switch (event.type) {
    case "link": {
      if (event.from === "browser" && network.plugin) return network;
      const plugin = network.plugin || event.from === "plugin";
      if (!event.up) return { ...network, plugin, link: "down" };
      // A device that is back on a network has yet to reach us.
      const reach = network.reach === "lost" ? "lost" : "ok";
      return { plugin, link: "up", reach, failures: 0 };
    }
    case "failed":
      if (network.reach === "lost") return network;
      return { ...network, reach: event.awaited ? "lost" : "uncertain" };
    case "probe":
      if (event.reached) return { ...network, reach: "ok", failures: 0 };
      return { ...network, reach: "lost", failures: network.failures + 1 };
    default:
      return event satisfies never;
  }
}

export function isOffline({ link, reach }: Network): boolean {
  return link === "down" || reach === "lost";
}

/** Returns the delay before a probe of the server, in ms, or null without a reason or a link. */
export function probeIn({ link, reach, failures }: Network): number | null {
  if (link === "down" || reach === "ok") return null;
  if (failures === 0) return 0;
  return PROBE_AFTER_MS[Math.min(failures, PROBE_AFTER_MS.length) - 1] ?? null;
}

/** Messages of browsers and plugins for a request that did not reach the server. The spec's list comes first. */
const NETWORK_ERRORS =
  /name.not.resolved|internet.disconnected|network.changed|failed to fetch|request failed|load failed|networkerror/i;

/** Returns whether the error is about the network, not about a response. */
export function isNetworkError(error: unknown): boolean {
  if (error instanceof DOMException && error.name === "AbortError") return false;
  return error instanceof Error && NETWORK_ERRORS.test(error.message);
}
