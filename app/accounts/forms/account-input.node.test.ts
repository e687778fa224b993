import { expect, test } from "vitest";
import {
  ACCOUNT_INPUTS,
  type AccountInput,
  factorCodeInput,
  newPasskeyInput,
  passkeyInput,
  passkeyProofInput,
  passwordChangeInput,
  proofCodeInput,
  proofPasswordInput,
} from "./account-input.ts";
import { checkInput } from "./check-input.ts";

const EMAIL = "ada@test.example";
/** An address of that length. Its domain has labels of at most 63 characters. */
const addressOf = (length: number) => `${"a".repeat(length - 194)}@${`${"b".repeat(60)}.`.repeat(3)}example.co`;
const x = (length: number) => "x".repeat(length);

type Case = { form: AccountInput; fields: Record<string, string>; errors: Record<string, string> | null };
const NO_EMAIL = "Enter your email address";
const NO_ADDRESS = "Enter an email address like name@example.com";
const LONG_ADDRESS = "This email address is too long";
const LONG_PASSWORD = "This password is too long";

const current = (form: AccountInput, name: string, others: Record<string, string>): Case[] => [
  { form, fields: { ...others, [name]: x(1) }, errors: null },
  { form, fields: { ...others, [name]: x(1000) }, errors: null },
  { form, fields: { ...others, [name]: x(1001) }, errors: { [name]: LONG_PASSWORD } },
  { form, fields: { ...others, [name]: "" }, errors: { [name]: "Enter your current password" } },
  { form, fields: others, errors: { [name]: "Enter your current password" } },
];
const chosen = (form: AccountInput, name: string, others: Record<string, string>): Case[] => [
  { form, fields: { ...others, [name]: x(8) }, errors: null },
  { form, fields: { ...others, [name]: x(128) }, errors: null },
  { form, fields: { ...others, [name]: x(1) }, errors: { [name]: "Use at least 8 characters" } },
  { form, fields: { ...others, [name]: x(7) }, errors: { [name]: "Use at least 8 characters" } },
  { form, fields: { ...others, [name]: x(129) }, errors: { [name]: "Use at most 128 characters" } },
  { form, fields: { ...others, [name]: "" }, errors: { [name]: "Choose a password" } },
  { form, fields: others, errors: { [name]: "Choose a password" } },
];
const address = (form: AccountInput, name: string, others: Record<string, string>): Case[] => [
  { form, fields: { ...others, [name]: ` ${EMAIL} ` }, errors: null },
  { form, fields: { ...others, [name]: addressOf(254) }, errors: null },
  { form, fields: { ...others, [name]: ` ${addressOf(254)} ` }, errors: null },
  { form, fields: { ...others, [name]: addressOf(255) }, errors: { [name]: LONG_ADDRESS } },
  { form, fields: { ...others, [name]: "a" }, errors: { [name]: NO_ADDRESS } },
  { form, fields: { ...others, [name]: " " }, errors: { [name]: NO_EMAIL } },
  { form, fields: others, errors: { [name]: NO_EMAIL } },
];

const CASES: Case[] = [
  ...address("signUp", "email", { password: x(8) }),
  ...chosen("signUp", "password", { email: EMAIL }),
  ...address("requestReset", "email", {}),
  ...chosen("reset", "password", { token: "t" }),
  ...address("emailChange", "newEmail", { password: "p" }),
  ...current("emailChange", "password", { newEmail: EMAIL }),
  ...current("deletion", "password", {}),
  ...chosen("passwordChange", "next", { current: "p" }),
  ...current("passwordChange", "current", { next: x(8) }),
  // A log-in refuses no address that an old account may have.
  { form: "logIn", fields: { email: "a", password: "p" }, errors: null },
  { form: "logIn", fields: { email: ` ${x(254)} `, password: x(1000) }, errors: null },
  {
    form: "logIn",
    fields: { email: x(255), password: x(1001) },
    errors: { email: LONG_ADDRESS, password: LONG_PASSWORD },
  },
  { form: "logIn", fields: { email: " ", password: "" }, errors: { email: NO_EMAIL, password: "Enter your password" } },
  { form: "logIn", fields: {}, errors: { email: NO_EMAIL, password: "Enter your password" } },
  { form: "name", fields: {}, errors: null },
  { form: "name", fields: { fullName: ` ${x(100)} ` }, errors: null },
  { form: "name", fields: { fullName: x(101) }, errors: { fullName: "Use at most 100 characters" } },
  { form: "reset", fields: { token: x(100), password: x(8) }, errors: null },
];

test.for(CASES)("checks $form with $fields in the browser as on the server", ({ form, fields, errors }) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  expect(checkInput(form, data)).toEqual(errors);
  const parsed = ACCOUNT_INPUTS[form].safeParse(fields);
  const found = parsed.error?.issues.toReversed().map(({ path, message }) => [path[0], message]) ?? null;
  expect(found && Object.fromEntries(found)).toEqual(errors);
});

test("refuses a token that is longer than any", () => {
  expect(ACCOUNT_INPUTS.reset.safeParse({ token: x(101), password: x(8) }).success).toBe(false);
});

test("keeps addresses and names without the spaces around them, and an empty name where none was sent", () => {
  const input = { email: ` ${EMAIL} `, password: ` ${x(8)} ` };
  expect(ACCOUNT_INPUTS.signUp.parse({ ...input, fullName: " Ada " })).toEqual({
    email: EMAIL,
    password: ` ${x(8)} `,
    fullName: "Ada",
  });
  expect(ACCOUNT_INPUTS.signUp.parse(input).fullName).toBe("");
  expect(ACCOUNT_INPUTS.logIn.parse(input)).toEqual({ email: EMAIL, password: input.password });
});

test("reads a checkbox as checked if it was sent at all", () => {
  const passwords = { current: "p", next: x(8) };
  expect(passwordChangeInput.parse(passwords).endAccess).toBe(false);
  for (const endAccess of ["on", ""]) {
    expect(passwordChangeInput.parse({ ...passwords, endAccess }).endAccess).toBe(true);
  }
});

test.for([
  { input: proofCodeInput, max: 100, long: "This code is too long" },
  { input: factorCodeInput, max: 60, long: "This is longer than any code" },
])("takes codes of $max characters at most", ({ input, max, long }) => {
  const errorOf = (fields: object) => input.safeParse(fields).error?.issues[0]?.message;
  expect(input.parse({ code: " 123 456 " })).toEqual({ code: "123 456" });
  for (const code of ["1", ` ${x(max)} `]) expect(errorOf({ code })).toBeUndefined();
  expect(errorOf({ code: x(max + 1) })).toBe(long);
  for (const fields of [{}, { code: "" }, { code: " " }]) expect(errorOf(fields)).toBe("Enter a code");
});

test("takes a password as a proof", () => {
  expect(proofPasswordInput.safeParse({ password: x(1000) }).success).toBe(true);
  for (const password of ["", x(1001)]) expect(proofPasswordInput.safeParse({ password }).success).toBe(false);
});

test("takes passkeys with a name, and an id where one is changed", () => {
  const errorOf = (fields: object) => passkeyInput.safeParse({ id: "id", ...fields }).error?.issues[0]?.message;
  expect(newPasskeyInput.parse({ name: ` ${x(60)} ` })).toEqual({ name: x(60) });
  expect(errorOf({ name: x(61) })).toBe("Use at most 60 characters");
  for (const fields of [{}, { name: "" }, { name: " " }]) expect(errorOf(fields)).toBe("Enter a name");
  for (const id of ["i", x(1400)]) expect(errorOf({ name: "K", isSecondFactor: "on", id })).toBeUndefined();
  for (const fields of [{ isSecondFactor: "yes" }, { id: "" }, { id: x(1401) }]) {
    expect(passkeyInput.safeParse({ id: "id", name: "Key", ...fields }).success).toBe(false);
  }
  expect(passkeyProofInput.safeParse({ challenge_id: "c", credential: {} }).success).toBe(true);
  expect(passkeyProofInput.safeParse({ credential: {} }).success).toBe(false);
});
