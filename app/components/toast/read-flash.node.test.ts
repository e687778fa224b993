import { expect, test } from "vitest";
import { flashCookie } from "#app/http/cookies.ts";
import { forgetFlash, readFlash } from "./read-flash.ts";

const SITE = new URL("https://x.example/");
const LOCAL = new URL("http://localhost:8787/");

test("reads a flash message from among other cookies", async () => {
  const text = "Welcome back! 100% done; really=yes, ż ٣";
  const header = await flashCookie(new Request(SITE), text);
  expect(header).toMatch(/^__Host-.*; Max-Age=60; Path=\/; Secure; SameSite=Lax$/);
  const [cookie] = header.split("; ");
  expect(readFlash(`a=1; ${cookie}; b=2`, SITE)).toBe(text);
  expect(readFlash("a=1; b=2", SITE)).toBeNull();
  expect(readFlash("", SITE)).toBeNull();
});

test("reads and deletes the plain cookie on http://localhost only", async () => {
  const header = await flashCookie(new Request(LOCAL), "Saved");
  const [cookie = ""] = header.split("; ");
  expect(header).not.toMatch(/Secure|__Host-/);
  expect([readFlash(cookie, LOCAL), readFlash(cookie, SITE)]).toEqual(["Saved", null]);
  const [name] = cookie.split("=");
  expect(forgetFlash(LOCAL)).toBe(`${name}=; Path=/; Max-Age=0; SameSite=Lax`);
  expect(forgetFlash(SITE)).toBe(`__Host-${name}=; Path=/; Max-Age=0; SameSite=Lax; Secure`);
});
