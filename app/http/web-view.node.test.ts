import { expect, test } from "vitest";
import { isWebViewLike } from "./web-view.ts";

const ANDROID = "Mozilla/5.0 (Linux; Android 16; Pixel 9";
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.0.0 Mobile Safari/537.36";
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

test("recognizes web views by their user agents", () => {
  expect(isWebViewLike(`${ANDROID}; wv) ${CHROME}`)).toBe(true);
  expect(isWebViewLike(`${IPHONE} Mobile/15E148`)).toBe(true);
  expect(isWebViewLike(`${ANDROID}) ${CHROME}`)).toBe(false);
  expect(isWebViewLike(`${IPHONE} Version/19.0 Mobile/15E148 Safari/604.1`)).toBe(false);
  expect(isWebViewLike("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Safari/605.1.15")).toBe(
    false,
  );
});

test("treats in-app browsers of other apps as browsers, but not our own shell", () => {
  expect(isWebViewLike(`${ANDROID}; wv) ${CHROME} Instagram 360.0.0.0`)).toBe(false);
  expect(isWebViewLike(`${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/480]`)).toBe(false);
  expect(isWebViewLike(`${ANDROID}) ${CHROME} GrowlineShell`)).toBe(true);
});
