import { expect, test } from "vitest";
import { isMostlyContext } from "./context-words.ts";

const OWNER = { email: "zoe.lindqvist@nordhaven.example", fullName: "Zoë Lindqvist-Byrne" };

test("refuses the product's name, the owner's name and parts of the email address", () => {
  const refused = [
    "Growline2024",
    "growline!!",
    "lindqvist1",
    "Byrne-byrne",
    "Nordhaven99",
    "zoe.lindqvist",
    "ZoeLindqvist7",
  ];
  for (const password of refused) expect(isMostlyContext(password, OWNER), password).toBe(true);
});

test("sees through digits and signs that stand for letters", () => {
  for (const password of ["Gr0w1ine!", "gr0wl1n3", "L1ndqv!$7", "N0rdh@v3n1"]) {
    expect(isMostlyContext(password, OWNER), password).toBe(true);
  }
});

test("accepts a password that merely contains such a word", () => {
  for (const password of [
    "growline correct horse battery",
    "my zoe likes old boats",
    "correct horse battery",
    "00000000",
  ]) {
    expect(isMostlyContext(password, OWNER), password).toBe(false);
  }
});

test("ignores parts of fewer than four characters, and an empty name", () => {
  expect(isMostlyContext("zoezoezoe", OWNER)).toBe(false);
  expect(isMostlyContext("a long password", { email: "a@b.example", fullName: "" })).toBe(false);
});
