import { expect, test } from "vitest";
import { EMAIL_MAX_CHARACTERS, emailKey, lookupEmail, readExistingEmail, readTypedEmail } from "./email-address.ts";

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
