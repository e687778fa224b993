import { expect, test } from "vitest";
import {
  applyEvent,
  INITIAL,
  isNetworkError,
  isOffline,
  type Network,
  type NetworkEvent,
  probeIn,
} from "./network-state.ts";

const after = (...all: NetworkEvent[]): Network => all.reduce(applyEvent, INITIAL);
const browser = (up: boolean): NetworkEvent => ({ type: "link", from: "browser", up });
const plugin = (up: boolean): NetworkEvent => ({ type: "link", from: "plugin", up });
const failed = (awaited: boolean): NetworkEvent => ({ type: "failed", awaited });
const probe = (reached: boolean): NetworkEvent => ({ type: "probe", reached });

test("ignores the browser's events once the native plugin has reported", () => {
  expect(isOffline(after(browser(false)))).toBe(true);
  expect(isOffline(after(browser(false), browser(true)))).toBe(false);
  expect(isOffline(after(plugin(true), browser(false)))).toBe(false);
  expect(isOffline(after(plugin(false), browser(true)))).toBe(true);
  expect(isOffline(after(browser(false), plugin(true)))).toBe(false);
});

test("goes offline at once if an awaited request fails, and after a failed probe for others", () => {
  expect(isOffline(after(failed(true)))).toBe(true);
  const uncertain = after(failed(false));
  expect(isOffline(uncertain)).toBe(false);
  expect(probeIn(uncertain)).toBe(0);
  expect(isOffline(applyEvent(uncertain, probe(false)))).toBe(true);
  expect(applyEvent(uncertain, probe(true))).toEqual(INITIAL);
});

test("probes at once, then after 1, 2, 5, 10, 10 s, and never without a link", () => {
  let network = after(failed(true));
  const waits: (number | null)[] = [];
  for (let tries = 0; tries < 6; tries++) {
    waits.push(probeIn(network));
    network = applyEvent(network, probe(false));
  }
  expect(waits).toEqual([0, 1000, 2000, 5000, 10_000, 10_000]);
  expect(probeIn(applyEvent(network, browser(false)))).toBe(null);
  expect(probeIn(INITIAL)).toBe(null);
});

test("probes the server at once when the link returns after the server was unreachable", () => {
  const back = after(failed(true), probe(false), probe(false), browser(false), browser(true));
  expect(isOffline(back)).toBe(true);
  expect(probeIn(back)).toBe(0);
  expect(isOffline(applyEvent(back, probe(true)))).toBe(false);
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
