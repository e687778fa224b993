import bcrypt from "bcryptjs";
import { expect, test } from "vitest";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { checkLegacyPassword, padBcryptWork, readRounds } from "./legacy-passwords.server.ts";

const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";
const caller = unlimitedCaller();

test("says whether a password matches, and the rounds that the check took", async () => {
  expect(await checkLegacyPassword("rasmuslerdorf", HASH, caller)).toEqual({ ok: true, rounds: 7, matches: true });
  expect(await checkLegacyPassword("wrong", HASH, caller)).toEqual({ ok: true, rounds: 7, matches: false });
  expect(await checkLegacyPassword("wrong", "x", caller)).toEqual({
    ok: false,
    message: "Illegal hash length: 1 != 60",
  });
});

test.for([
  ["03", "Illegal number of rounds (4-31): 3"],
  ["04", 4],
  ["16", 16],
  ["17", "Too many rounds to compute: 17 > 16"],
  ["31", "Too many rounds to compute: 31 > 16"],
  ["32", "Illegal number of rounds (4-31): 32"],
] as const)("reads %s rounds of a hash: %s", ([digits, expected]) => {
  const read = () => readRounds(HASH.replace("$07$", `$${digits}$`));
  if (typeof expected === "number") expect(read()).toBe(expected);
  else expect(read).toThrow(expected);
});

test.for([
  { done: 7, target: 10, rounds: [7, 8, 9] },
  { done: 9, target: 10, rounds: [9] },
  { done: 10, target: 10, rounds: [] },
  { done: 12, target: 10, rounds: [] },
  { done: null, target: 10, rounds: [10] },
  { done: null, target: null, rounds: [] },
  { done: 7, target: null, rounds: [] },
])("pads a check of $done rounds to the work of $target", async ({ done, target, rounds }) => {
  const compared: string[] = [];
  const compare = bcrypt.compare;
  bcrypt.compare = async (_password: string, hash: string) => compared.push(hash) < 0;
  try {
    await padBcryptWork("x", done, target, caller);
  } finally {
    bcrypt.compare = compare;
  }
  // Each is a hash, or nothing would be computed.
  expect(compared.map(readRounds)).toEqual(rounds);
});
