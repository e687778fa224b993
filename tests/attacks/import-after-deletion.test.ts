import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { deleteAccountRows } from "#app/accounts/deletion/account-personal-data.server.ts";
import { type LegacyAccount, storeLegacyAccounts } from "#app/accounts/legacy/legacy-import.server.ts";
import { createAccount } from "#app/accounts/sign-in/create-account.server.ts";
import { importSkips, profiles, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { checkCredentials } from "#tests/workerd/new-account.ts";

const PASSWORD = "rasmuslerdorf";
const HASH = "$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq";

test("importing again brings no deleted account back, and its owner can sign up anew", async () => {
  const row = legacyRow();
  expect(await storeLegacyAccounts(env.DB, [row])).toEqual({ stored: 1, closed: [], taken: [] });
  await deleteAccountRows(db, row.id);
  const again = { ...row, id: crypto.randomUUID(), email: row.email.toUpperCase() };
  expect(await storeLegacyAccounts(env.DB, [again])).toEqual({ stored: 0, closed: [again.email], taken: [] });
  expect(await signIn(row.email)).toMatchObject({ ok: false });
  const signedUp = await createAccount(db, { email: row.email, password: "a new long password", fullName: "" });
  expect(signedUp.ok).toBe(true);
  expect(await storeLegacyAccounts(env.DB, [again])).toEqual({ stored: 0, closed: [], taken: [] });
  expect(await signIn(row.email)).toMatchObject({ ok: false });
});

test("importing again brings no address back that its owner changed", async () => {
  const row = legacyRow();
  await storeLegacyAccounts(env.DB, [row]);
  const email = `new-${row.email}`;
  await db.batch([
    db.update(users).set({ email }).where(eq(users.id, row.id)),
    db.update(profiles).set({ email }).where(eq(profiles.userId, row.id)),
  ]);
  const again = { ...row, id: crypto.randomUUID() };
  expect(await storeLegacyAccounts(env.DB, [again])).toEqual({ stored: 0, closed: [row.email], taken: [] });
  expect(await signIn(row.email)).toMatchObject({ ok: false });
  expect(await signIn(email)).toMatchObject({ ok: true });
});

test("the first import leaves out whoever signed up and deleted the account before", async () => {
  const row = legacyRow();
  const signedUp = await createAccount(db, { email: row.email, password: "a long password", fullName: "" });
  await deleteAccountRows(db, signedUp.ok ? signedUp.userId : "");
  expect(await storeLegacyAccounts(env.DB, [row, legacyRow()])).toEqual({ stored: 1, closed: [row.email], taken: [] });
});

test("keeps only digests of these addresses", async () => {
  const row = legacyRow();
  await storeLegacyAccounts(env.DB, [row]);
  const kept = JSON.stringify(await db.select().from(importSkips));
  expect(kept).not.toContain("@");
  expect(kept).not.toContain(row.id);
});

function signIn(email: string) {
  return checkCredentials(db, { email, password: PASSWORD });
}

function legacyRow(): LegacyAccount {
  const id = crypto.randomUUID();
  return { id, email: `${id}@legacy.example`, hash: HASH, fullName: "Ada", createdAt: 1_600_000_000_000 };
}
