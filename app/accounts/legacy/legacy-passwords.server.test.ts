import bcrypt from "bcryptjs";
import { expect, test } from "vitest";
import { unlimitedCaller } from "#app/accounts/password/hash-queue.server.ts";
import { checkLegacyPassword, padBcryptWork, readRounds, spellingsOf } from "./legacy-passwords.server.ts";

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
  const compared = await comparedDuring(() => padBcryptWork("x", done, target, caller));
  expect(compared.map((one) => one.rounds)).toEqual(rounds);
});

// The letters of each, by what keyboards write: "ế" as one character, as three, and as Windows' Vietnamese keyboard does.
const TYPED = {
  "composed German": { typed: "gr\u00fcn", spellings: ["gr\u00fcn", "gru\u0308n"] },
  "decomposed German": { typed: "gru\u0308n", spellings: ["gru\u0308n", "gr\u00fcn"] },
  "composed Vietnamese": { typed: "\u1ebf", spellings: ["\u1ebf", "e\u0302\u0301", "\u00ea\u0301"] },
  "Vietnamese from Windows": { typed: "\u00ea\u0301", spellings: ["\u00ea\u0301", "\u1ebf", "e\u0302\u0301"] },
  "decomposed Vietnamese": { typed: "e\u0302\u0301", spellings: ["e\u0302\u0301", "\u1ebf", "\u00ea\u0301"] },
  "composed Korean": { typed: "\ud55c", spellings: ["\ud55c", "\u1112\u1161\u11ab"] },
  "full-width Latin": { typed: "\uff41\uff42", spellings: ["\uff41\uff42", "ab"] },
  "Russian without й": { typed: "пароль", spellings: ["пароль"] },
  Chinese: { typed: "密码", spellings: ["密码"] },
  "letters that are cut": { typed: `${"x".repeat(72)}\u00fc`, spellings: [`${"x".repeat(72)}\u00fc`] },
  ASCII: { typed: "~rasmus lerdorf", spellings: ["~rasmus lerdorf"] },
};

test.for(Object.entries(TYPED))("tries the spellings of %s, what was typed first", ([, { typed, spellings }]) => {
  expect(spellingsOf(typed)).toEqual(spellings);
});

test.for([
  { stored: "gr\u00fcn", typed: "gru\u0308n" },
  { stored: "gru\u0308n", typed: "gr\u00fcn" },
  { stored: "ti\u00ea\u0301ng", typed: "ti\u1ebfng" },
  { stored: "ti\u1ebfng", typed: "ti\u00ea\u0301ng" },
  { stored: `${"u\u0308".repeat(30)}`, typed: `${"\u00fc".repeat(30)}` },
])("matches the hash of $stored with $typed", async ({ stored, typed }) => {
  const hash = await bcrypt.hash(stored, 4);
  expect(await checkLegacyPassword(typed, hash, caller)).toEqual({ ok: true, rounds: 4, matches: true });
  expect(await checkLegacyPassword(`!${typed}`, hash, caller)).toMatchObject({ matches: false });
});

test.for([
  ["04", 3],
  ["12", 3],
  ["14", 3],
  ["15", 2],
  ["16", 1],
] as const)(
  "checks at %s rounds at most %s spellings, and no more work than one check at 16",
  async ([digits, most]) => {
    const hash = HASH.replace("$07$", `$${digits}$`);
    const compared = await comparedDuring(() => checkLegacyPassword("\u1ebf", hash, caller));
    expect(compared).toEqual(
      TYPED["composed Vietnamese"].spellings.slice(0, most).map((password) => ({ password, rounds: Number(digits) })),
    );
    expect(workOf(compared)).toBeLessThanOrEqual(2 ** 16);
    expect(await comparedDuring(() => checkLegacyPassword("ascii", hash, caller))).toHaveLength(1);
  },
);

test.for(Object.entries(TYPED))(
  "takes as much work to refuse %s with any hash as without one",
  async ([, { typed }]) => {
    const target = 12;
    for (const rounds of [null, 4, 7, 11, 12]) {
      const compared = await comparedDuring(async () => {
        const hash = HASH.replace("$07$", `$${String(rounds).padStart(2, "0")}$`);
        if (rounds !== null) await checkLegacyPassword(typed, hash, caller);
        await padBcryptWork(typed, rounds, target, caller);
      });
      expect(workOf(compared)).toBe(spellingsOf(typed).length * 2 ** target);
    }
  },
);

type Compared = { password: string; rounds: number };

/** Returns what is compared meanwhile, in order. Nothing matches. Each is a hash, or nothing would be computed. */
async function comparedDuring(work: () => Promise<unknown>): Promise<Compared[]> {
  const compared: Compared[] = [];
  const compare = bcrypt.compare;
  bcrypt.compare = async (password: string, hash: string) => compared.push({ password, rounds: readRounds(hash) }) < 0;
  try {
    await work();
  } finally {
    bcrypt.compare = compare;
  }
  return compared;
}

function workOf(compared: Compared[]): number {
  return compared.reduce((sum, { rounds }) => sum + 2 ** rounds, 0);
}
