import { expect, test } from "vitest";
import { type MailHeader, REPORTED, unfolded, WRITTEN } from "#tests/mail-headers/mail-headers.ts";
import { decodeWords, parseSender } from "./email-headers.ts";

const ROWS = [...WRITTEN, ...REPORTED];

const meant = ({ from, email, name, text }: MailHeader) => ({
  sender: from === undefined ? null : { email, name },
  text,
});

function read({ from, subject }: MailHeader, arrived: (header: string) => string) {
  return {
    sender: from === undefined ? null : parseSender(arrived(from)),
    text: subject === undefined ? undefined : decodeWords(arrived(subject)),
  };
}

test.for(ROWS.filter(({ stillWrong }) => stillWrong === undefined))(
  "reads the header of $program that says $name $text",
  (row) => {
    expect(read(row, unfolded)).toEqual(meant(row));
    expect(read(row, (folded) => folded)).toEqual(meant(row));
  },
);

test.for(ROWS.filter(({ stillWrong }) => stillWrong !== undefined))(
  "does not yet read the header of $program: $stillWrong",
  (row) => {
    expect(read(row, unfolded)).not.toEqual(meant(row));
  },
);

test("keeps headers in many languages, most of them from programs that ran", () => {
  expect(new Set(WRITTEN.map(({ program }) => program)).size).toBeGreaterThanOrEqual(38);
  expect(WRITTEN.length).toBeGreaterThanOrEqual(118);
  expect(REPORTED.length).toBeGreaterThanOrEqual(62);
  expect(new Set(ROWS.map(({ language = "English" }) => language)).size).toBeGreaterThanOrEqual(18);
  expect(ROWS.filter(({ stillWrong }) => stillWrong !== undefined)).toHaveLength(2);
});

test("names where each header that was read stands", () => {
  expect(REPORTED.filter(({ source }) => source === undefined)).toEqual([]);
  expect(WRITTEN.filter(({ source }) => source !== undefined)).toEqual([]);
});
