import { expect, test } from "vitest";
import { AT_FIRST, type Heard, hear, isNetworkError, isOffline, type Network, probeIn } from "./network-state.ts";

const heardAll = (...all: Heard[]): Network => all.reduce(hear, AT_FIRST);
const browser = (up: boolean): Heard => ({ type: "link", from: "browser", up });
const plugin = (up: boolean): Heard => ({ type: "link", from: "plugin", up });
const failed = (awaited: boolean): Heard => ({ type: "failed", awaited });
const probe = (reached: boolean): Heard => ({ type: "probe", reached });

test("ignores the browser's events once the native plugin has reported", () => {
  expect(isOffline(heardAll(browser(false)))).toBe(true);
  expect(isOffline(heardAll(browser(false), browser(true)))).toBe(false);
  expect(isOffline(heardAll(plugin(true), browser(false)))).toBe(false);
  expect(isOffline(heardAll(plugin(false), browser(true)))).toBe(true);
  expect(isOffline(heardAll(browser(false), plugin(true)))).toBe(false);
});

test("goes offline at once if an awaited request fails, and after a failed probe for others", () => {
  expect(isOffline(heardAll(failed(true)))).toBe(true);
  const doubted = heardAll(failed(false));
  expect(isOffline(doubted)).toBe(false);
  expect(probeIn(doubted)).toBe(0);
  expect(isOffline(hear(doubted, probe(false)))).toBe(true);
  expect(hear(doubted, probe(true))).toEqual(AT_FIRST);
});

test("probes at once, then after 1, 2, 5, 10, 10 s, and never without a link", () => {
  let network = heardAll(failed(true));
  const waits: (number | null)[] = [];
  for (let tries = 0; tries < 6; tries++) {
    waits.push(probeIn(network));
    network = hear(network, probe(false));
  }
  expect(waits).toEqual([0, 1000, 2000, 5000, 10_000, 10_000]);
  expect(probeIn(hear(network, browser(false)))).toBe(null);
  expect(probeIn(AT_FIRST)).toBe(null);
});

test("probes the server at once when the link returns after the server was unreachable", () => {
  const back = heardAll(failed(true), probe(false), probe(false), browser(false), browser(true));
  expect(isOffline(back)).toBe(true);
  expect(probeIn(back)).toBe(0);
  expect(isOffline(hear(back, probe(true)))).toBe(false);
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
