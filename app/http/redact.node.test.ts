import { expect, test, vi } from "vitest";
import forms from "#app/email-address-forms.jsonl?raw";
import { logError } from "./log.ts";
import { redact } from "./redact.ts";

const CASES: [text: string, redacted: string][] = [
  ["550 no mailbox for <jane.doe+x@mail.example.org>", "550 no mailbox for <[email]>"],
  [
    "no mailbox for jörg.müller@exämple.de, o'neil@example.org or x!y@example.org",
    "no mailbox for [email], [email] or [email]",
  ],
  ["GET /unsubscribe/jane.doe%40example.org failed", "GET /unsubscribe/[email] failed"],
  ["https://api.example/to/bo%40m%C3%BCnchen.example: 404", "https://api.example/to/[email]: 404"],
  ["no mailbox bo/dept@x.example. Not bo/dept@localhost.", "no mailbox [email]. Not [email]."],
  ["{'to':'bo@x.example'} or `bo@x.example`, {bo@x.example}", "{'to':'[email]'} or `[email]`, {[email]}"],
  ["ann@x.example|bo@x.example", "[email][email]"],
  ['"ann bo"@x.example and "bo..ek"@x.example', '"ann bo"@x.example and [email]'],
  ['{"@type":"a","@id":"@b.example"}', '{"@type":"a","@id":"@b.example"}'],
  ["render@https://growline.example/app.js:1:20", "render@https://growline.example/app.js:1:20"],
  ["GET /reset?email=bo@x.example&token=abc failed", "GET /reset?[query] failed"],
  [
    "at react (node_modules/@remix-run/react/dist/index.js:1:2)",
    "at react (node_modules/@remix-run/react/dist/index.js:1:2)",
  ],
  ["No route matches URL /reset-password?token=abc123&x=1", "No route matches URL /reset-password?[query]"],
  ["GET https://api.example/send?key=abc&to=x failed", "GET https://api.example/send?[query] failed"],
  ["at render (https://growline.example/app.js?v=1:20:3)", "at render (https://growline.example/app.js?[query])"],
  ["Authorization: Bearer abcDEF123.456-789", "Authorization: Bearer [token]"],
  ["key gl_live_a8Qz0pLmNb was refused", "key gl_live_[key] was refused"],
  ["secret whsec_c2VjcmV0c2VjcmV0", "secret whsec_[key]"],
  ["token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "token [token]"],
  ["room user_0b9e0a0c-1f2e-4d3c-8b4a-5f6e7d8c9b0a", "room user_[id]"],
  ["room user_-XkRq_2mTTiOa1b2c3d4eQ: full", "room user_[id]: full"],
  ["the column user_id, user_agent", "the column user_id, user_agent"],
  ["UNIQUE constraint failed: users.email", "UNIQUE constraint failed: users.email"],
  ["select id from users where id = ? limit ?", "select id from users where id = ? limit ?"],
];

test("takes addresses, query strings, tokens, keys and user ids out of a text, and nothing else", () => {
  for (const [text, redacted] of CASES) expect(redact(text)).toBe(redacted);
});

test("redacts every field of a log line, and leaves it readable as JSON", () => {
  const lines = vi.spyOn(console, "error").mockImplementation(() => {});
  const error = new Error('the email API answered "jane@example.org is blocked"');
  logError("email failed", error, { room: "user_0b9e0a0c-1f2e-4d3c-8b4a-5f6e7d8c9b0a", count: 3 });
  const [[line = ""] = []] = lines.mock.calls as string[][];
  lines.mockRestore();
  expect(JSON.parse(line)).toMatchObject({
    message: "email failed",
    error: 'the email API answered "[email] is blocked"',
    room: "user_[id]",
    count: 3,
  });
  expect(line).not.toContain("jane@");
});

type Form = { form: string; typed: string | null; existing: string | null };
const FORMS = forms
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Form);
/** Characters that also stand around an address, and those that no domain has: records with them are redacted in part. */
const HARD = /[:"()[\]\\](?=.*@)|@.*[^\p{L}\p{M}\p{N}._。．｡[\]:-]|@.*\.$/u;

test("takes every form of address out of sentences, JSON and URLs, and leaves what is around it", () => {
  const whole = FORMS.filter(({ form, typed, existing }) => typed !== null || (existing !== null && !HARD.test(form)));
  expect(whole.length).toBeGreaterThan(60);
  for (const { form } of whole) {
    const address = form.trim();
    for (const around of [
      "for <*>: no",
      "Refused *, try later.",
      '{"to":"*","n":[1]}',
      '{\\"to\\":[\\"*\\"]}',
      "(*)",
    ]) {
      expect(redact(around.replace("*", () => address))).toBe(around.replace("*", "[email]"));
    }
    const url = `https://api.example/to/${encodeURIComponent(address)}/x`;
    if (!address.includes("[")) expect(redact(url), url).toBe("https://api.example/to/[email]/x");
  }
});

test.each(["a", "@", "a@", "%40", "a%40", "/", "/a@", "{", '"a', '"a"', "a.", "@a.", "ñ", "a/@"])(
  "comes to the end of a long text of %s",
  (unit) => {
    // Quadratic time would meet the limit of a test's time.
    expect(redact(`${unit.repeat(150_000 / unit.length)} ada@visitor.example`)).toMatch(/ \[email\]$/);
  },
);
