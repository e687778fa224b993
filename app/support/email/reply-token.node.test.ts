import { expect, test } from "vitest";
import { DAY_MS } from "#app/time.ts";
import { isReplyTokenFor, makeReplyToken, type ReplyToken, readReplyToken } from "./reply-token.server.ts";

const NOW = Date.UTC(2026, 10, 23, 12);
const TO = { rowId: 70_000_000_001, sessionId: "anon_1_x", address: "Ada@Example.com" };
const TOKEN = makeReplyToken("new,old", TO, NOW);

test("makes 32 letters of base32 that hold under any case of the token and the address", () => {
  expect(TOKEN).toMatch(/^[a-z2-7]{32}$/);
  const read = tokenOf(TOKEN.toUpperCase());
  expect(read.rowId).toBe(TO.rowId);
  expect(isReplyTokenFor("new", read, { ...TO, address: "ada@example.COM" }, NOW)).toBe(true);
});

test("refuses another conversation, row, address, secret or letter", () => {
  const read = tokenOf(TOKEN);
  for (const other of [{ sessionId: "anon_1_y" }, { rowId: 1 }, { address: "eve@example.com" }]) {
    expect(isReplyTokenFor("new", read, { ...TO, ...other }, NOW), JSON.stringify(other)).toBe(false);
  }
  expect(isReplyTokenFor("another", read, TO, NOW)).toBe(false);
  for (let at = 0; at < TOKEN.length; at++) {
    const changed = `${TOKEN.slice(0, at)}${TOKEN[at] === "a" ? "b" : "a"}${TOKEN.slice(at + 1)}`;
    const forged = tokenOf(changed);
    expect(isReplyTokenFor("new", forged, { ...TO, rowId: forged.rowId }, NOW), changed).toBe(false);
  }
});

test("signs with the newest secret and verifies with all", () => {
  expect(isReplyTokenFor("newest,new,old", tokenOf(TOKEN), TO, NOW)).toBe(true);
  expect(isReplyTokenFor("old", tokenOf(TOKEN), TO, NOW)).toBe(false);
});

test("ends after 30 days", () => {
  expect(isReplyTokenFor("new", tokenOf(TOKEN), TO, NOW + 30 * DAY_MS)).toBe(true);
  expect(isReplyTokenFor("new", tokenOf(TOKEN), TO, NOW + 31 * DAY_MS)).toBe(false);
});

test("reads no token from other local parts", () => {
  for (const text of ["", "support", TOKEN.slice(1), `${TOKEN}a`, TOKEN.replace(/^./, "1"), `${TOKEN.slice(1)}\n`]) {
    expect(readReplyToken(text), text).toBeNull();
  }
});

function tokenOf(text: string): ReplyToken {
  const token = readReplyToken(text);
  if (!token) throw new Error("no token");
  return token;
}
