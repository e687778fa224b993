import { expect, test } from "vitest";
import { decodeWords, parseSender } from "./email-headers.ts";

const SENDERS: [from: string, email: string, name: string][] = [
  ["Maria <m@x.example>", "m@x.example", "Maria"],
  ['"Doe, \\"J\\"" <j@x.example>', "j@x.example", 'Doe, "J"'],
  ['" Maria, Studio " <m@x.example>', "m@x.example", "Maria, Studio"],
  [" j@x.example ", "j@x.example", ""],
  ["Maria < m@x.example >", "m@x.example", "Maria"],
  ["<j@x.example>", "j@x.example", ""],
  ["ops@corp.example (Team, West)", "ops@corp.example", "Team, West"],
  ["a@x.example, b@y.example", "a@x.example", ""],
  ["Team: a@x.example, b@y.example;", "a@x.example", ""],
  ["=?UTF-8?Q?J=C3=B6rg_Gr=C3=BCn?= <j@x.example>", "j@x.example", "Jörg Grün"],
  // Not allowed, and written by programs all the same.
  ["Doe, J <j@x.example>", "j@x.example", "Doe, J"],
  ["=?utf-8?Q?Doe,_J?= <j@x.example>", "j@x.example", "Doe, J"],
  ['"=?utf-8?Q?Doe=2C_J?=" <j@x.example>', "j@x.example", "Doe, J"],
  ["=?utf-8?B?PGFAeC5leGFtcGxlPg==?=", "a@x.example", ""],
  // An address in a name is no sender.
  ["=?utf-8?Q?=3Cb=40y.example=3E=2C?= <a@x.example>", "a@x.example", "<b@y.example>,"],
  ['"b@y.example" <a@x.example>', "a@x.example", "b@y.example"],
  ["(b@y.example) a@x.example", "a@x.example", "b@y.example"],
  ["<=?utf-8?Q?b=40y.example?=> <a@x.example>", "a@x.example", ""],
  ["Undisclosed <>", "Undisclosed", "Undisclosed"],
  ["undisclosed-recipients:;", "undisclosed-recipients", "undisclosed-recipients"],
  ["joe at x", "joe at x", "joe at x"],
  ["", "", ""],
];

test.for(SENDERS)("reads the first sender of %j", ([from, email, name]) => {
  expect(parseSender(from)).toEqual({ email, name });
});

const SUBJECTS: [subject: string, text: string][] = [
  ["=?utf-8?B?R3LDvMOf?=\r\n =?utf-8?B?ZQ==?=", "Grüße"],
  // Cut between the bytes of a character.
  ["=?UTF-8?Q?Gutschein_f=C3?= =?UTF-8?Q?=BCr?=", "Gutschein für"],
  ["=?utf-8?B?R3LDvMM=?= =?utf-8?B?n2U=?=", "Grüße"],
  ["=?UTF-8?Q?f=C3?= =?UTF-8?B?vHI=?=", "für"],
  ["Re: =?utf-8?q?a?= b =?utf-8?q?c?=", "Re: a b c"],
  ["=?utf-8?Q?=41?= =?iso-8859-1?Q?=FC?=", "Aü"],
  ["=?windows-1252*de?Q?f=FCr?=", "für"],
  ["=?utf-8?Q?Ready??=", "Ready?"],
  // Charsets that nobody knows, and bytes that are none of theirs.
  ["=?x-nowhere?Q?a_b?=", "a b"],
  ["=?unknown-8bit?Q?f=FCr?=", "für"],
  ["=?utf-8?Q?f=FCr?=", "für"],
  ["=?utf-8?Q?Gr=C3=BC=FFe?=", "Gr\u00fc\ufffde"],
];

test.for(SUBJECTS)("decodes the words of %j", ([subject, text]) => {
  expect(decodeWords(subject)).toBe(text);
});
