import { expect, test } from "vitest";
import { readBridge } from "./platform.ts";

test("accepts a bridge that reports android or ios and ignores a broken one", () => {
  expect(readBridge({ Capacitor: { getPlatform: () => "android" } })).toBe("android");
  expect(readBridge({ Capacitor: { getPlatform: () => "ios" } })).toBe("ios");
  expect(readBridge({ Capacitor: { getPlatform: () => "web" } })).toBe(null);
  expect(readBridge({})).toBe(null);
  const broken = () => {
    throw new Error("gone");
  };
  expect(readBridge({ Capacitor: { getPlatform: broken } })).toBe(null);
});
