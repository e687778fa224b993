import { expect, test } from "vitest";
import { parseDown, parseHint, parseSend, parseUp } from "./frames.ts";
import { parseStart } from "./start-input.ts";

const up = (frame: unknown) => parseUp(JSON.stringify(frame));

test("accepts a frame from a browser only if it matches exactly", () => {
  expect(up({ type: "send", clientId: "a", body: "hi" })).toEqual({ type: "send", clientId: "a", body: "hi" });
  expect(up({ type: "typing" })).toEqual({ type: "typing" });
  expect(up({ type: "page", path: "/a", title: "" })).not.toBeNull();
  for (const bad of [
    null,
    [],
    "send",
    7,
    {},
    { type: "toString" },
    { type: "__proto__" },
    { type: "constructor" },
    { type: "send", clientId: "a" },
    { type: "send", clientId: "", body: "hi" },
    { type: "send", clientId: "a".repeat(65), body: "hi" },
    { type: "send", clientId: "a", body: "  \n" },
    { type: "send", clientId: "a", body: "x".repeat(4001) },
    { type: "send", clientId: "a", body: "\ud800" },
    { type: "send", clientId: "a", body: "hi", side: "admin" },
    { type: "send", clientId: ["a"], body: "hi" },
    { type: "read", seq: -1 },
    { type: "read", seq: 1.5 },
    { type: "read", seq: "1" },
    { type: "read", seq: 2 ** 53 },
    { type: "page", path: "a", title: "" },
    { type: "page", path: "/a?b", title: "" },
    { type: "page", path: "/a#b", title: "" },
    { type: "page", path: `/${"a".repeat(200)}`, title: "" },
  ]) {
    expect(up(bad), JSON.stringify(bad)?.slice(0, 60)).toBeNull();
  }
  for (const bad of ["", "{", "ping", '{"type":"send","clientId":"a","body":"hi","__proto__":1}']) {
    expect(parseUp(bad), bad).toBeNull();
  }
});

test("accepts unknown fields from a newer server, and ignores unknown frames", () => {
  expect(parseDown('{"type":"read","side":"user","seq":3,"more":1}')).toMatchObject({ side: "user", seq: 3 });
  expect(parseDown('{"type":"triage","triage":{}}')).toBeNull();
  expect(parseDown('{"type":"message","message":{"seq":1}}')).toBeNull();
  expect(parseHint('{"type":"hint","session_id":"s"}')).toEqual({ type: "hint", session_id: "s" });
  expect(parseHint('{"type":"read","session_id":"s"}')).toBeNull();
  expect(parseSend({ clientId: "a", body: "hi" })).toEqual({ clientId: "a", body: "hi" });
  expect(parseSend({ clientId: "a", body: "hi", author: "x" })).toBeNull();
});

test("parses a trimmed name and an optional email, and returns an error for the first invalid one", () => {
  expect(parseStart({ name: "  Ada ", email: " a@b " })).toEqual({ ok: true, start: { name: "Ada", email: "a@b" } });
  expect(parseStart({ name: "Ada" })).toEqual({ ok: true, start: { name: "Ada" } });
  expect(parseStart({ name: "Ada", email: "" })).toEqual({ ok: true, start: { name: "Ada", email: "" } });
  for (const bad of [null, 7, {}, { name: " " }, { name: 7 }]) {
    expect(parseStart(bad)).toEqual({ ok: false, error: "Please enter your name" });
  }
  expect(parseStart({ name: "a".repeat(101) })).toMatchObject({ ok: false });
  for (const email of ["a", "a@", "a b@c", 7, `${"a".repeat(260)}@b`]) {
    expect(parseStart({ name: "Ada", email })).toEqual({ ok: false, error: "Please check your email" });
  }
});
