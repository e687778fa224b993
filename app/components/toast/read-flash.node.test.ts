import { expect, test } from "vitest";
import { flashCookie } from "#app/http/cookies.ts";
import { readFlash } from "./read-flash.ts";

test("reads a flash message from among other cookies", async () => {
  const text = "Welcome back! 100% done; really=yes, ż ٣";
  const header = await flashCookie(new Request("https://x.example/"), text);
  expect(header).toMatch(/; Max-Age=60; Path=\/; Secure; SameSite=Lax$/);
  const [cookie] = header.split("; ");
  expect(readFlash(`a=1; ${cookie}; b=2`)).toBe(text);
  expect(readFlash("a=1; b=2")).toBeNull();
  expect(readFlash("")).toBeNull();
});
