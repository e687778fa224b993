import { expect, test } from "vitest";
import { newBackupId } from "#app/backup/format/backup-objects.ts";
import { DAY_MS } from "#app/time.ts";
import { expiredBackups } from "./expired-backups.ts";

const START = Date.parse("2026-01-05T03:17:00Z");

test("keeps a backup of each of 14 days and each of 8 weeks, night after night", () => {
  let ids: string[] = [];
  for (let night = 0; night < 200; night++) {
    const now = START + night * DAY_MS;
    ids.push(newBackupId(now));
    const expired = new Set(expiredBackups(ids, now, newBackupId(now)));
    ids = ids.filter((id) => !expired.has(id));
  }
  const now = START + 199 * DAY_MS;
  const ages = ids.map((id) => Math.round((now - Date.parse(`${id.slice(0, 10)}T03:17:00Z`)) / DAY_MS));
  expect(ages.filter((age) => age < 14)).toEqual([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  // The last ones of the weeks before.
  const weekly = ages.filter((age) => age >= 14);
  expect(weekly.length).toBeGreaterThanOrEqual(5);
  expect(Math.max(...ages)).toBeLessThan(57);
  expect(Math.max(...ages)).toBeGreaterThan(42);
});

test("keeps the newest backup, however old it is, and the newest of a day with several", () => {
  const old = newBackupId(START);
  expect(expiredBackups([old], START + 400 * DAY_MS, null)).toEqual([]);
  const [first, second] = [newBackupId(START), newBackupId(START + 3_600_000)];
  expect(expiredBackups([first, second], START + 2 * 3_600_000, second)).toEqual([first]);
});

test("keeps the newest sound backup for as long as all newer ones have faults", () => {
  const nights = Array.from({ length: 200 }, (_, night) => newBackupId(START + night * DAY_MS));
  const [sound = ""] = nights;
  let ids: string[] = [];
  for (const [night, id] of nights.entries()) {
    ids.push(id);
    const expired = expiredBackups(ids, START + night * DAY_MS, sound);
    ids = ids.filter((one) => !expired.includes(one));
  }
  expect(ids).toContain(sound);
  // It replaces none of those that are kept anyway.
  expect(ids.length).toBeGreaterThan(14 + 5);
  expect(expiredBackups(ids, START + 199 * DAY_MS, nights.at(-1) ?? null)).toEqual([sound]);
});
