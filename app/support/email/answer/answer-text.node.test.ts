import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { APPLE } from "#tests/answer-mails/apple-mails.ts";
import { GMAIL } from "#tests/answer-mails/gmail-mails.ts";
import { mailSource } from "#tests/answer-mails/mail-source.ts";
import { ODD, THUNDERBIRD, YAHOO } from "#tests/answer-mails/other-mails.ts";
import { OUTLOOK } from "#tests/answer-mails/outlook-mails.ts";
import { answerText } from "./answer-text.ts";

const MAILS = [...GMAIL, ...OUTLOOK, ...APPLE, ...THUNDERBIRD, ...YAHOO, ...ODD];

for (const mail of MAILS) {
  test(`takes the answer out of ${mail.name}`, async () => {
    expect(answerText(await PostalMime.parse(mailSource(mail)))).toBe(mail.answer);
  });
}

test("knows at least 50 mails", () => {
  expect(MAILS.length).toBeGreaterThanOrEqual(50);
});

test("shows an entity that isn't known as it is written", () => {
  const odd = "&valueOf; &toString; &nosuch; &xvalueOf;";
  expect(answerText({ html: `<p>${odd} &amp; &eacute;</p>` })).toBe(`${odd} & é`);
});

test("reads a long hostile text in time that grows with its length", () => {
  for (const piece of ["On 2026 ", "> ", "From: a@b\n", "<div ", "<blockquote>", "&#", "-----", "Sent from "]) {
    const long = piece.repeat(100_000);
    expect(answerText({ text: long }).length).toBeLessThanOrEqual(long.length);
    expect(answerText({ html: long }).length).toBeLessThanOrEqual(2 * long.length);
  }
});
