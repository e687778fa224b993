import { z } from "zod";
import { randomKey } from "#app/crypto/random-secret.server.ts";
import { cutText } from "#app/cut-text.ts";
import { addressDigest } from "#app/email/suppressions.server.ts";
import { readExistingEmail } from "#app/email-address.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { DAY_MS } from "#app/time.ts";
import { readRounds } from "./legacy-passwords.server.ts";

/** A row of the previous system's users table, as text, under our column names. */
export type LegacyRow = { email?: string; hash?: string; fullName?: string; createdAt?: string };
export type LegacyAccount = { id: string; email: string; hash: string; fullName: string; createdAt: number };

const FULL_NAME_MAX_CHARACTERS = 100;
/** Nobody signed up on the web before. */
const EARLIEST = Date.UTC(1990, 0);
/** A clock may be a time zone ahead of ours. */

/** Parses a row into an account to store, or returns why it is refused. Times in ms. */
export function judgeLegacyRow(
  row: LegacyRow,
  now: number,
): { ok: true; account: LegacyAccount } | { ok: false; why: string } {
  const email = readExistingEmail(row.email ?? "");
  if (email === null) return { ok: false, why: row.email ? "not an email address" : "no email address" };
  const hash = row.hash?.trim() ?? "";
  if (hash === "") return { ok: false, why: "no password hash" };
  try {
    readRounds(hash);
  } catch (error) {
    return { ok: false, why: z.instanceof(Error).parse(error).message };
  }
  const created = readTime(row.createdAt?.trim() ?? "", now);
  if (!created.ok) return created;
  const fullName = cutText(cleanName(row.fullName ?? ""), FULL_NAME_MAX_CHARACTERS);
  return {
    ok: true,
    account: { id: randomKey(), email, hash, fullName, createdAt: created.time },
  };
}

/**
 * Stores the accounts whose email is new, all or nothing. Existing accounts stay unchanged, so an import can be run again.
 * Returns how many were stored, the addresses that are `closed`: imported before, or of a deleted account, and of no
 * account by now, which get none, and those that are `taken`: never imported, and of an account that signed up here.
 */
export async function storeLegacyAccounts(
  database: D1Database,
  accounts: LegacyAccount[],
): Promise<{ stored: number; closed: string[]; taken: string[] }> {
  const rows = accounts.map((account) => ({ ...account, digest: addressDigest(account.email) }));
  const json = JSON.stringify(rows);
  const isClosed = `exists (select 1 from import_skips where address_digest = value ->> 'digest')`;
  const isNew = `exists (select 1 from users where users.id = value ->> 'id')`;
  const run = (sql: string) => database.prepare(sql).bind(json);
  const hasAccount = `exists (select 1 from users where email = value ->> 'email')`;
  const addressesOf = (condition: string) =>
    run(`select value ->> 'email' as email from json_each(?) where ${condition}`);
  const [closed, taken, stored] = await database.batch<{ email: string }>([
    addressesOf(`${isClosed} and not ${hasAccount}`),
    addressesOf(`not ${isClosed} and ${hasAccount}`),
    run(
      `insert into users (id, email, created_at, email_confirmed_at)
       select value ->> 'id', value ->> 'email', value ->> 'createdAt', value ->> 'createdAt' from json_each(?) where not ${isClosed}
       on conflict do nothing returning email`,
    ),
    run(
      `insert into profiles (user_id, email, full_name)
       select value ->> 'id', value ->> 'email', value ->> 'fullName' from json_each(?) where ${isNew}`,
    ),
    run(`insert into wallets (user_id) select value ->> 'id' from json_each(?) where ${isNew}`),
    run(
      `insert into temp_mysql_passwords (user_id, mysql_password_hash)
       select value ->> 'id', value ->> 'hash' from json_each(?) where ${isNew}`,
    ),
    run(
      `insert into import_skips (address_digest) select value ->> 'digest' from json_each(?) where true
       on conflict do nothing`,
    ),
  ]);
  const emails = (read: typeof closed) => read?.results.map(({ email }) => email) ?? [];
  return { stored: stored?.results.length ?? 0, closed: emails(closed), taken: emails(taken) };
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|[+-]\d\d:?\d\d)?$/;

/**
 * Parses a date, MySQL's DATETIME, ISO 8601 (UTC unless it says otherwise), or seconds or ms since 1970. An empty text and
 * zero, MySQL's unknown time, mean now.
 */
function readTime(text: string, now: number): { ok: true; time: number } | { ok: false; why: string } {
  if (text === "" || /^0+$/.test(text) || text.startsWith("0000-00-00")) return { ok: true, time: now };
  const [, day = text, clock = "00:00", zone = "Z"] = DATE_TIME.exec(text) ?? [];
  const time = /^\d{9,10}$/.test(text)
    ? Number(text) * 1000
    : /^\d{12,13}$/.test(text)
      ? Number(text)
      : DATE.test(day)
        ? Date.parse(`${day}T${clock}${zone}`)
        : Number.NaN;
  if (Number.isNaN(time)) return { ok: false, why: `not a time of sign-up: ${cutText(text, 40)}` };
  if (time < EARLIEST || time > now + DAY_MS) {
    return { ok: false, why: `signed up on ${new Date(time).toISOString().slice(0, 10)}, which can't be` };
  }
  return { ok: true, time };
}
