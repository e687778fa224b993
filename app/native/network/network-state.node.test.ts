import { expect, test } from "vitest";
import {
  applyEvent,
  INITIAL,
  isNetworkError,
  isOffline,
  isReachable,
  type Network,
  type NetworkEvent,
  nextReload,
  probeIn,
} from "./network-state.ts";

const after = (...all: NetworkEvent[]): Network => afterAt(...all.map((event) => [0, event] as const));
/** After events at these times, in ms. */
const afterAt = (...all: (readonly [number, NetworkEvent])[]): Network =>
  all.reduce((network, [at, event]) => applyEvent(network, event, at), INITIAL);
const browser = (up: boolean): NetworkEvent => ({ type: "link", from: "browser", up });
const plugin = (up: boolean): NetworkEvent => ({ type: "link", from: "plugin", up });
const failed: NetworkEvent = { type: "failed" };
const probe = (reached: boolean): NetworkEvent => ({ type: "probe", reached });

test("ignores the browser's events once the native plugin has reported", () => {
  expect(isOffline(after(browser(false)))).toBe(true);
  expect(isOffline(after(browser(false), browser(true)))).toBe(false);
  expect(isOffline(after(plugin(true), browser(false)))).toBe(false);
  expect(isOffline(after(plugin(false), browser(true)))).toBe(true);
  expect(isOffline(after(browser(false), plugin(true)))).toBe(false);
});

test("is offline once probes have failed for 3 s after a failed request, and not before", () => {
  expect(isOffline(after(failed))).toBe(false);
  expect(isReachable(after(failed))).toBe(false);
  expect(probeIn(after(failed))).toBe(0);
  expect(isOffline(afterAt([0, failed], [0, probe(false)], [2999, probe(false)]))).toBe(false);
  // Another failure in between is the same trouble.
  expect(isOffline(afterAt([0, failed], [2000, failed], [3000, probe(false)]))).toBe(true);
});

test("is online again with the first probe that succeeds, and counts from new with the next failure", () => {
  const back = afterAt([0, failed], [2900, probe(true)]);
  expect(back).toEqual(INITIAL);
  expect(isReachable(back)).toBe(true);
  expect(isOffline(afterAt([0, failed], [2900, probe(true)], [2950, failed], [3100, probe(false)]))).toBe(false);
});

test("probes at once, then after 1, 2.5, 5, 10, 10 s, and never without a link", () => {
  let network = after(failed);
  const waits: (number | null)[] = [];
  for (let tries = 0; tries < 6; tries++) {
    waits.push(probeIn(network));
    network = applyEvent(network, probe(false), tries * 1000);
  }
  expect(waits).toEqual([0, 1000, 2500, 5000, 10_000, 10_000]);
  expect(probeIn(applyEvent(network, browser(false), 0))).toBe(null);
  expect(probeIn(INITIAL)).toBe(null);
});

test("probes the server at once when the link returns after the server was unreachable", () => {
  const back = afterAt(
    [0, failed],
    [0, probe(false)],
    [3000, probe(false)],
    [3000, browser(false)],
    [3100, browser(true)],
  );
  expect(isOffline(back)).toBe(true);
  expect(probeIn(back)).toBe(0);
  expect(isOffline(applyEvent(back, probe(true), 3200))).toBe(false);
});

test("loads a lost page again three times a minute, not in an endless loop", () => {
  let reloads: number[] | null = [];
  for (const now of [1000, 2000, 3000]) reloads = nextReload(reloads ?? [], now);
  expect(reloads).toEqual([1000, 2000, 3000]);
  expect(nextReload([1000, 2000, 3000], 4000)).toBeNull();
  expect(nextReload([1000, 2000, 3000], 60_999)).toBeNull();
  expect(nextReload([1000, 2000, 3000], 61_000)).toEqual([2000, 3000, 61_000]);
});

test("recognizes network errors in the wording of each engine", () => {
  for (const text of [
    "net::ERR_NAME_NOT_RESOLVED",
    "net::ERR_INTERNET_DISCONNECTED",
    "net::ERR_NETWORK_CHANGED",
    "Failed to fetch",
    "Request failed",
    "Load failed",
    "NetworkError when attempting to fetch resource.",
    "Failed to fetch dynamically imported module: /assets/x.js",
  ]) {
    expect(isNetworkError(new TypeError(text)), text).toBe(true);
  }
  expect(isNetworkError(new Error("x is undefined"))).toBe(false);
  expect(isNetworkError(new DOMException("Failed to fetch", "AbortError"))).toBe(false);
  expect(isNetworkError({ status: 500 })).toBe(false);
});
