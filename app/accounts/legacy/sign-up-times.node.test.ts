import { expect, test } from "vitest";
import { DAY_MS } from "#app/time.ts";
import { judgeLegacyRow } from "./legacy-import.server.ts";

// On Node, where the import runs: in workerd, local time is always UTC.

const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";
const NOW = Date.UTC(2026, 10, 23, 4);

test("runs where local time is not UTC", () => {
  for (const month of [0, 6]) expect(new Date(2026, month).getTimezoneOffset() % 60).not.toBe(0);
});

test.for<[text: string | undefined, time: number]>([
  [undefined, NOW],
  ["", NOW],
  [" ", NOW],
  ["0", NOW],
  ["0000", NOW],
  ["0000-00-00", NOW],
  ["0000-00-00 00:00:00", NOW],
  ["2019-03-02", Date.UTC(2019, 2, 2)],
  [" 2019-03-02 10:11 ", Date.UTC(2019, 2, 2, 10, 11)],
  ["2019-03-02 10:11:12", Date.UTC(2019, 2, 2, 10, 11, 12)],
  ["2019-03-02T10:11:12.500", Date.UTC(2019, 2, 2, 10, 11, 12, 500)],
  ["2019-03-02T10:11:12Z", Date.UTC(2019, 2, 2, 10, 11, 12)],
  ["2019-03-02T10:11:12+02:00", Date.UTC(2019, 2, 2, 8, 11, 12)],
  ["2019-03-02 10:11:12 -02:00", Date.UTC(2019, 2, 2, 12, 11, 12)],
  ["999999999", 999_999_999_000],
  ["1551521472", 1_551_521_472_000],
  ["999999999999", 999_999_999_999],
  ["1551521472000", 1_551_521_472_000],
  ["1990-01-01", Date.UTC(1990, 0)],
  [String(NOW + DAY_MS), NOW + DAY_MS],
])("reads the time of sign-up %j", ([createdAt, time]) => {
  const row = { email: "a@b.example", hash: HASH };
  const judged = judgeLegacyRow(createdAt === undefined ? row : { ...row, createdAt }, NOW);
  expect(judged).toMatchObject({ ok: true, account: { createdAt: time } });
});

test.for<[text: string, why: string]>([
  ["yesterday", "not a time of sign-up: yesterday"],
  ["2019-13-02", "not a time of sign-up: 2019-13-02"],
  ["02.03.2019", "not a time of sign-up: 02.03.2019"],
  ["2019-03-02 10", "not a time of sign-up: 2019-03-02 10"],
  ["12345678", "not a time of sign-up: 12345678"],
  ["12345678901", "not a time of sign-up: 12345678901"],
  ["12345678901234", "not a time of sign-up: 12345678901234"],
  ["x".repeat(50), `not a time of sign-up: ${"x".repeat(40)}`],
  ["1989-12-31 23:59:59", "signed up on 1989-12-31, which can't be"],
  [String(NOW + DAY_MS + 1), "signed up on 2026-11-24, which can't be"],
])("refuses the time of sign-up %j", ([createdAt, why]) => {
  expect(judgeLegacyRow({ email: "a@b.example", hash: HASH, createdAt }, NOW)).toEqual({ ok: false, why });
});
