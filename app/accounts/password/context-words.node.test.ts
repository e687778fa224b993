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

const CASES: [password: string, email: string, fullName: string, isRefused: boolean][] = [
  // Exactly half of it is the name.
  ["nordhavenqwertyuio", "x@nordhaven.example", "", false],
  ["nordhavenqwertyui", "x@nordhaven.example", "", true],
  // Everybody's addresses end so.
  ["example99", "x@nordhaven.example", "", false],
  ["zara202", "zara@n.example", "", true],
  ["annlee99", "x@n.example", "Ann Lee", true],
  ["myshop12", "x@my.shop.example", "", true],
  // The longer name is taken out before the shorter one, which is a part of it.
  ["annabelle1x", "x@n.example", "Anna Annabelle", true],
  ["annaannabelle1", "anna@n.example", "Annabelle", true],
  ["ZOE\u0301-LINDQVIST", "x@n.example", "Zo\u00e9 Lindqvist", true],
  ["growline", "", "", true],
];

test.for(CASES)("judges the password %s of %s, %s: %s", ([password, email, fullName, isRefused]) => {
  expect(isMostlyContext(password, { email, fullName })).toBe(isRefused);
});

test.for([
  ["0l1ver", "oliver"],
  ["o!iver", "oliver"],
  ["o|iver", "oliver"],
  ["ol1v3r", "oliver"],
  ["m4rt1n", "martin"],
  ["m@r7in", "martin"],
  ["mar+in", "martin"],
  ["5t3fan", "stefan"],
  ["$tefan", "stefan"],
  ["8arbara", "barbara"],
] as const)("takes %s for %s", ([password, fullName]) => {
  expect(isMostlyContext(password, { email: "", fullName })).toBe(true);
});
