import { expect, test } from "vitest";
import { deviceName } from "./device-name.ts";

test("names the browser and the system of a user agent", () => {
  const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
  expect(deviceName(`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/140.0.0.0`)).toBe("Edge on Windows");
  expect(deviceName(`Mozilla/5.0 (Linux; Android 10; K) ${chrome}`)).toBe("Chrome on Android");
  expect(deviceName("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1")).toBe(
    "Safari on iPhone",
  );
  expect(deviceName("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")).toBe("Firefox on Linux");
  expect(deviceName("curl/8.1")).toBe("Unknown device");
});

test.for([
  ["Opera/9.80", "Opera"],
  ["OPR/90", "Opera"],
  ["EdgA/1", "Edge"],
  ["FxiOS/1 (iPad)", "Firefox on iPad"],
  ["SamsungBrowser/1 Chrome/1 Safari/1 Android", "Samsung Internet on Android"],
  ["CriOS/1 (iPhone; Mac OS X) Safari/1", "Chrome on iPhone"],
  ["Safari/1 (Macintosh)", "Safari on macOS"],
  ["Chrome/1 (X11; CrOS x86_64)", "Chrome on ChromeOS"],
  ["curl/8 (Windows)", "Windows"],
  ["", "Unknown device"],
] as const)("names %j as %s", ([userAgent, name]) => {
  expect(deviceName(userAgent)).toBe(name);
});
