import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { APPLE } from "#tests/answer-mails/apple-mails.ts";
import { GMAIL } from "#tests/answer-mails/gmail-mails.ts";
import { HEADED } from "#tests/answer-mails/header-mails.ts";
import { mailSource, SENT } from "#tests/answer-mails/mail-source.ts";
import { ODD, THUNDERBIRD, YAHOO } from "#tests/answer-mails/other-mails.ts";
import { OUTLOOK } from "#tests/answer-mails/outlook-mails.ts";
import { SECOND_LOOK } from "#tests/answer-mails/second-look-mails.ts";
import { TERMINAL } from "#tests/answer-mails/terminal-mails.ts";
import { THIRD_LOOK } from "#tests/answer-mails/third-look-mails.ts";
import { TRANSLATED } from "#tests/answer-mails/translated-mails.ts";
import { WEBMAIL } from "#tests/answer-mails/webmail-mails.ts";
import { answerText, isTooLong } from "./answer-text.ts";
import { declareFixed, unfold } from "./flowed-text.ts";

const KNOWN = [...GMAIL, ...OUTLOOK, ...APPLE, ...THUNDERBIRD, ...YAHOO, ...ODD];
const SOURCED = [...TRANSLATED, ...HEADED, ...TERMINAL, ...WEBMAIL, ...SECOND_LOOK, ...THIRD_LOOK];

for (const mail of KNOWN) {
  test(`takes the answer out of ${mail.name}`, async () => {
    expect(answerText(await PostalMime.parse(mailSource(mail)))).toBe(mail.answer);
  });
}

for (const mail of [...KNOWN, ...SOURCED]) {
  test(`takes the answer out of ${mail.name}, if it knows what was answered`, async () => {
    const raw = mailSource(mail);
    const flow = declareFixed(raw);
    const email = await PostalMime.parse(raw);
    const text = flow && email.text !== undefined ? unfold(email.text, flow) : email.text;
    expect(answerText({ ...email, text }, SENT)).toBe(mail.answer);
  });
}

test("knows at least 120 mails of 25 programs and 20 languages with their sources", () => {
  const programs = new Set(SOURCED.map(({ program }) => program?.replace(/ [\d.]+.*/, "")));
  const languages = new Set(SOURCED.map(({ language }) => language));
  expect(SOURCED.every(({ source }) => source !== undefined)).toBe(true);
  expect(SOURCED.length + KNOWN.length).toBeGreaterThanOrEqual(290);
  expect(SOURCED.length).toBeGreaterThanOrEqual(230);
  expect(programs.size).toBeGreaterThanOrEqual(25);
  expect(languages.size).toBeGreaterThanOrEqual(20);
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
