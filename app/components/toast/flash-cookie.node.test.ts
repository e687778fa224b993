import { expect, test } from "vitest";
import { flashCookie, readFlash } from "./flash-cookie.ts";

test("a flashed text is read back from among other cookies", () => {
  const text = "Welcome back! 100% done; really=yes";
  const [cookie] = flashCookie(text).split("; ");
  expect(readFlash(`a=1; ${cookie}; b=2`)).toBe(text);
  expect(readFlash("a=1; b=2")).toBeNull();
  expect(readFlash("")).toBeNull();
});
