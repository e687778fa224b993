import { expect, test } from "vitest";
import { EMAIL_MAX_CHARACTERS, emailKey, lookupEmail, readExistingEmail, readTypedEmail } from "./email-address.ts";
import forms from "./email-address-forms.jsonl?raw";

test.for(["bo@xn--80a1acny.xn--p1ai", "smith&co@x.example", "bo=shop@x.example", "bo/dept@x.example"])(
  "takes %s at every door",
  (address) => {
    expect(readTypedEmail(address)).toBe(address);
    expect(readExistingEmail(address)).toBe(address);
  },
);

test("takes a domain with a hyphen at its end from older records only", () => {
  expect(readTypedEmail("bo@x-.example")).toBeNull();
  expect(readExistingEmail("bo@x-.example")).toBe("bo@x-.example");
});

test("keeps an address within 254 characters, also once its domain is written in ASCII", () => {
  const domain = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.example`;
  const longest = `${"x".repeat(EMAIL_MAX_CHARACTERS - domain.length - 1)}@${domain}`;
  for (const read of [readTypedEmail, readExistingEmail]) {
    expect(read(longest)).toBe(longest);
    expect(read(` ${longest} `)).toBe(longest);
    expect(read(`x${longest}`)).toBeNull();
    expect(read(longest.replace("example", "exämple").slice(2))).toBeNull();
  }
});

test("looks up a text that is no address as it is, which no account has", () => {
  expect(lookupEmail(" nobody ")).toBe("nobody");
  expect(lookupEmail("a@b@c.example")).toBe("a@b@c.example");
});

test("gives two spellings of an address one key, and two addresses two", () => {
  expect(emailKey(" Bo@Пример.РФ ")).toBe(emailKey("bo@xn--e1afmkfd.xn--p1ai"));
  expect(emailKey("JO\u0308RG@x.example")).toBe(emailKey("jörg@X.example"));
  expect(emailKey("bo@straße.example")).not.toBe(emailKey("bo@strasse.example"));
  expect(emailKey("bo@x.example")).not.toBe(emailKey("b.o@x.example"));
});

/** A form of an address from a program's tests or a report: what each kind of door makes of it, or null if it refuses it. */
type Form = { form: string; typed: string | null; existing: string | null; source: string };

const FORMS = forms
  .trim()
  .split("\n")
  .map((line): Form => JSON.parse(line));

test.for(FORMS)("reads $form as its kind of door does ($source)", ({ form, typed, existing }) => {
  expect({ typed: readTypedEmail(form), existing: readExistingEmail(form) }).toEqual({ typed, existing });
});

test("has at least 60 forms of 20 sources, each once", () => {
  expect(new Set(FORMS.map(({ form }) => form)).size).toBe(FORMS.length);
  expect(FORMS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(FORMS.map(({ source }) => source)).size).toBeGreaterThanOrEqual(20);
});

test("reads what it has read again as the same, and takes typed what it has typed", () => {
  for (const { typed, existing } of FORMS) {
    if (typed !== null) expect(readTypedEmail(typed)).toBe(typed);
    if (existing !== null) expect(readExistingEmail(existing)).toBe(existing);
    // An address that can sign up can also log in.
    if (typed !== null) expect(existing).toBe(typed);
  }
});
