import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { APPLE } from "#tests/answer-mails/apple-mails.ts";
import { ARCHIVED } from "#tests/answer-mails/archive-mails.ts";
import { COMMON } from "#tests/answer-mails/common-program-mails.ts";
import { FIXTURES } from "#tests/answer-mails/fixture-mails.ts";
import { GMAIL } from "#tests/answer-mails/gmail-mails.ts";
import { HEADED } from "#tests/answer-mails/header-mails.ts";
import { HTML_ONLY } from "#tests/answer-mails/html-only-mails.ts";
import { mailSource, NOT_LOOKED_UP, SENT } from "#tests/answer-mails/mail-source.ts";
import { ODD, THUNDERBIRD, YAHOO } from "#tests/answer-mails/other-mails.ts";
import { OUTLOOK } from "#tests/answer-mails/outlook-mails.ts";
import { RARE } from "#tests/answer-mails/rare-program-mails.ts";
import { TERMINAL } from "#tests/answer-mails/terminal-mails.ts";
import { TRANSLATED } from "#tests/answer-mails/translated-mails.ts";
import { TRANSLATED_WEBMAIL } from "#tests/answer-mails/translated-webmail-mails.ts";
import { UNSEEN } from "#tests/answer-mails/unseen-mails.ts";
import { WEBMAIL } from "#tests/answer-mails/webmail-mails.ts";
import { answerText, isTooLong } from "./answer-text.ts";
import { declareFixed, unfold } from "./flowed-text.ts";

const KNOWN = [...GMAIL, ...OUTLOOK, ...APPLE, ...THUNDERBIRD, ...YAHOO, ...ODD];
const COLLECTED = [
  ...TRANSLATED,
  ...TRANSLATED_WEBMAIL,
  ...ARCHIVED,
  ...FIXTURES,
  ...HEADED,
  ...TERMINAL,
  ...WEBMAIL,
  ...HTML_ONLY,
  ...COMMON,
  ...RARE,
  ...UNSEEN,
];

for (const mail of KNOWN) {
  test(`takes the answer out of ${mail.name}`, async () => {
    expect(answerText(await PostalMime.parse(mailSource(mail)))).toBe(mail.unaware ?? mail.answer);
  });
}

for (const mail of [...KNOWN, ...COLLECTED]) {
  test(`takes the answer out of ${mail.name}, if it knows what was answered`, async () => {
    const raw = mailSource(mail);
    const flow = declareFixed(raw);
    const email = await PostalMime.parse(raw);
    const text = flow && email.text !== undefined ? unfold(email.text, flow) : email.text;
    expect(answerText({ ...email, text }, SENT)).toBe(mail.answer);
  });
}

test("knows at least 120 mails of 25 programs and 20 languages whose shape was looked up", () => {
  const mails = [...KNOWN, ...COLLECTED];
  const sourced = mails.filter(({ source }) => source !== undefined && source !== NOT_LOOKED_UP);
  const programs = new Set(sourced.map(({ program }) => program?.replace(/ \d[-.\d]*.*/, "")));
  const languages = new Set(sourced.map(({ language }) => language));
  expect(COLLECTED.every(({ source }) => source !== undefined)).toBe(true);
  expect(new Set(mails.map(({ name }) => name)).size).toBe(mails.length);
  expect(mails.length).toBeGreaterThanOrEqual(540);
  expect(sourced.length).toBeGreaterThanOrEqual(340);
  expect(programs.size).toBeGreaterThanOrEqual(70);
  expect(languages.size).toBeGreaterThanOrEqual(60);
});

test("says that an email has more text than it reads, but not for pictures that HTML holds", () => {
  expect(isTooLong({ text: "a".repeat(400_000) })).toBe(false);
  expect(isTooLong({ text: "a".repeat(400_001) })).toBe(true);
  expect(isTooLong({ text: "a\n".repeat(20_001) })).toBe(true);
  const picture = `<img src="data:image/png;base64,${"AAAA".repeat(600_000)}">`;
  expect(isTooLong({ html: `<p>4711</p>${picture}` })).toBe(false);
  expect(isTooLong({ html: "<p>4711</p>".repeat(200_000) })).toBe(true);
  expect(answerText({ html: `${picture}<p>4711</p>` })).toBe("4711");
});

test("shows an entity that isn't known as it is written", () => {
  const odd = "&valueOf; &toString; &nosuch; &xvalueOf;";
  expect(answerText({ html: `<p>${odd} &amp; &eacute;</p>` })).toBe(`${odd} & é`);
});

test("reads a long hostile text in time that grows with its length", () => {
  for (const piece of ["On 2026 ", "> ", "From: a@b\n", "<div ", "<blockquote>", "&#", "-----", "Sent from "]) {
    const long = piece.repeat(100_000);
    expect(answerText({ text: long }).length).toBeLessThanOrEqual(long.length);
    expect(answerText({ text: long }, SENT).length).toBeLessThanOrEqual(2 * long.length);
    expect(answerText({ html: long }).length).toBeLessThanOrEqual(2 * long.length);
  }
});
