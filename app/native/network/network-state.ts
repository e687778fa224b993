/**
 * The network as far as it is known. "link" is what the device reports; "reach" is whether the last attempt reached our
 * server. `failingSince`: ms since 1970, null while nothing fails. Everything here is pure: the caller sends the probes.
 */
export type Network = {
  link: "up" | "down";
  reach: "ok" | "uncertain" | "lost";
  plugin: boolean;
  failures: number;
  failingSince: number | null;
};

export type NetworkEvent =
  /** From the native plugin, or from browser events, which count only while no plugin has reported. */
  | { type: "link"; from: "plugin" | "browser"; up: boolean }
  /** A request failed. Probes decide whether the network is lost. */
  | { type: "failed" }
  | { type: "probe"; reached: boolean };

export const INITIAL: Network = { link: "up", reach: "ok", plugin: false, failures: 0, failingSince: null };

const PROBE_AFTER_MS = [1000, 2500, 5000, 10_000];
/** A shorter gap is not worth taking the page away. */
export const LOST_AFTER_MS = 3000;

export function applyEvent(network: Network, event: NetworkEvent, now: number): Network {
  switch (event.type) {
    case "link": {
      if (event.from === "browser" && network.plugin) return network;
      const plugin = network.plugin || event.from === "plugin";
      if (!event.up) return { ...network, plugin, link: "down" };
      // A device that is back on a network has yet to reach us.
      if (network.reach === "lost") return { ...network, plugin, link: "up", failures: 0 };
      return { ...INITIAL, plugin };
    }
    case "failed":
      if (network.reach !== "ok") return network;
      return { ...network, reach: "uncertain", failingSince: now };
    case "probe": {
      if (event.reached) return { ...network, reach: "ok", failures: 0, failingSince: null };
      const failingSince = network.failingSince ?? now;
      const isLost = network.reach === "lost" || now - failingSince >= LOST_AFTER_MS;
      return { ...network, reach: isLost ? "lost" : "uncertain", failures: network.failures + 1, failingSince };
    }
    default:
      return event satisfies never;
  }
}

export function isOffline({ link, reach }: Network): boolean {
  return link === "down" || reach === "lost";
}

/** Returns whether a request is likely to arrive. */
export function isReachable({ link, reach }: Network): boolean {
  return link === "up" && reach === "ok";
}

/** Returns the delay before a probe of the server, in ms, or null without a reason or a link. */
export function probeIn({ link, reach, failures }: Network): number | null {
  if (link === "down" || reach === "ok") return null;
  if (failures === 0) return 0;
  return PROBE_AFTER_MS[Math.min(failures, PROBE_AFTER_MS.length) - 1] ?? null;
}

/** A page that fails so often within this time fails for another reason than the network. */
const RELOADS_MAX = 3;
const RELOADS_WITHIN_MS = 60_000;

/** Returns the times at which a lost page was loaded again, now included, or null if that has not helped. All in ms. */
export function nextReload(before: number[], now: number): number[] | null {
  const recent = before.filter((at) => at > now - RELOADS_WITHIN_MS);
  return recent.length < RELOADS_MAX ? [...recent, now] : null;
}

/** Messages of browsers and plugins for a request that did not reach the server. The spec's list comes first. */
const NETWORK_ERRORS =
  /name.not.resolved|internet.disconnected|network.changed|failed to fetch|request failed|load failed|networkerror/i;

/** Returns whether the error is about the network, not about a response. */
export function isNetworkError(error: unknown): boolean {
  if (error instanceof DOMException && error.name === "AbortError") return false;
  return error instanceof Error && NETWORK_ERRORS.test(error.message);
}
