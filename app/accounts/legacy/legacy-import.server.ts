import { z } from "zod";
import { requestResetInput } from "#app/accounts/forms/account-input.ts";
import { readRounds } from "./legacy-passwords.server.ts";

/** A row of the previous system's users table, as text, under our column names. */
export type LegacyRow = { email?: string; hash?: string; fullName?: string; createdAt?: string };
export type LegacyAccount = { id: string; email: string; hash: string; fullName: string; createdAt: number };

const FULL_NAME_MAX_CHARACTERS = 100;
const email = requestResetInput.shape.email;

/** Parses a row into an account to store, or returns why it is refused. Times in ms. */
export function judgeLegacyRow(
  row: LegacyRow,
  now: number,
): { ok: true; account: LegacyAccount } | { ok: false; why: string } {
  const parsed = email.safeParse(row.email ?? "");
  if (!parsed.success) return { ok: false, why: row.email ? "not an email address" : "no email address" };
  const hash = row.hash?.trim() ?? "";
  if (hash === "") return { ok: false, why: "no password hash" };
  try {
    readRounds(hash);
  } catch (error) {
    return { ok: false, why: z.instanceof(Error).parse(error).message };
  }
  const fullName = (row.fullName ?? "").trim().slice(0, FULL_NAME_MAX_CHARACTERS);
  return {
    ok: true,
    account: { id: crypto.randomUUID(), email: parsed.data, hash, fullName, createdAt: readTime(row.createdAt) ?? now },
  };
}

/**
 * Stores the accounts whose email is new, all or nothing, and returns how many. Existing accounts stay unchanged, so an
 * import can be run again.
 */
export async function storeLegacyAccounts(database: D1Database, accounts: LegacyAccount[]): Promise<number> {
  const json = JSON.stringify(accounts);
  const isNew = `exists (select 1 from users where users.id = value ->> 'id')`;
  const [stored] = await database.batch([
    database
      .prepare(
        `insert into users (id, email, created_at)
         select value ->> 'id', value ->> 'email', value ->> 'createdAt' from json_each(?) where true
         on conflict do nothing`,
      )
      .bind(json),
    database
      .prepare(
        `insert into profiles (user_id, email, full_name)
         select value ->> 'id', value ->> 'email', value ->> 'fullName' from json_each(?) where ${isNew}`,
      )
      .bind(json),
    database.prepare(`insert into wallets (user_id) select value ->> 'id' from json_each(?) where ${isNew}`).bind(json),
    database
      .prepare(
        `insert into temp_mysql_passwords (user_id, mysql_password_hash)
         select value ->> 'id', value ->> 'hash' from json_each(?) where ${isNew}`,
      )
      .bind(json),
  ]);
  return stored?.meta.changes ?? 0;
}

/** Parses MySQL's DATETIME as UTC, or seconds since 1970, into ms. Returns null for any other text and for zero. */
function readTime(text: string | undefined): number | null {
  const trimmed = text?.trim() ?? "";
  if (/^\d{9,10}$/.test(trimmed)) return Number(trimmed) * 1000;
  const time = Date.parse(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(trimmed) ? `${trimmed.replace(" ", "T")}Z` : trimmed);
  return Number.isNaN(time) || time <= 0 ? null : time;
}
