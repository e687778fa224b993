import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { gmailMessages, gmailOauthStates, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import { deleteGmailData, deleteGmailTokens, exportGmail } from "./gmail-personal-data.server.ts";
import { type MailboxOwner, ownedBy } from "./tokens/mailbox-owner.server.ts";

const AT = Date.UTC(2026, 10, 22, 12);
const TIME = "2026-11-22T12:00:00.000Z";
const NO_GOOGLE = { GOOGLE_CLIENT_ID: "", GOOGLE_CLIENT_SECRET: "" };

test("exports what it holds about a person, and nothing of another", async () => {
  const [owner, other] = [someone(), someone()];
  for (const one of [owner, other]) await addMailbox(one, 2);
  const status = { lastSyncAt: TIME, totalMessages: 2, autoSync: true, lastError: "Away", historyId: "7" };
  expect(await exportGmail(db, owner.userId)).toEqual({
    connections: [{ emailAddress: "ada@mail.example", scope: "read", createdAt: TIME }],
    status: { ...status, nextSyncAt: TIME },
    messages: ["m0000", "m0001"].map((id) => ({
      id,
      from: "bo@sender.example",
      fromName: "Bo",
      subject: `Subject of ${id}`,
      snippet: `Text of ${id}`,
      date: TIME,
    })),
  });
  expect(await exportGmail(db, someone().userId)).toEqual({ connections: [], status: null, messages: [] });
});

test.for([999, 1000, 1001, 2000])("exports %i messages once each", async (count) => {
  const owner = someone();
  await addMailbox(owner, count);
  const ids = (await exportGmail(db, owner.userId)).messages.map(({ id }) => id);
  expect(ids).toEqual(Array.from({ length: count }, (_, n) => idOf(n)));
});

test("deletes a person's mail, then the tokens, and nothing of another", async () => {
  const [owner, other] = [someone(), someone()];
  for (const one of [owner, other]) await addMailbox(one, 2);
  await deleteGmailData(db, owner.userId);
  expect(await rowsOf(owner)).toEqual([1, 0, 0, 0]);
  await deleteGmailTokens(db, { ...env, ...NO_GOOGLE }, owner.userId);
  expect(await rowsOf(owner)).toEqual([0, 0, 0, 0]);
  expect(await rowsOf(other)).toEqual([1, 1, 2, 1]);
});

function idOf(n: number): string {
  return `m${String(n).padStart(4, "0")}`;
}

async function addMailbox(owner: MailboxOwner, count: number): Promise<void> {
  const grant = { emailAddress: "ada@mail.example", scope: "read", accessToken: "sealed", refreshToken: "sealed" };
  await db.insert(gmailTokens).values({ ...owner, ...grant, createdAt: AT });
  const status = { totalMessages: 2, autoSync: true, lastError: "Away", historyId: "7" };
  await db.insert(gmailSyncStatus).values({ ...owner, ...status, lastSyncAt: AT, nextSyncAt: AT });
  const state = { stateDigest: crypto.randomUUID(), browserDigest: "b", codeVerifier: "c", mode: "popup" as const };
  await db.insert(gmailOauthStates).values({ ...owner, ...state, expiresAt: 1 });
  const from = { fromEmail: "bo@sender.example", fromName: "Bo", internalDate: AT };
  const rows = Array.from({ length: count }, (_, n) => idOf(n)).map((id) => ({
    ...owner,
    ...from,
    id,
    subject: `Subject of ${id}`,
    snippet: `Text of ${id}`,
  }));
  // The newest first, so that the order of ids is not the order in which they were stored.
  rows.reverse();
  const inserts = Array.from({ length: Math.ceil(count / 10) }, (_, n) =>
    db.insert(gmailMessages).values(rows.slice(n * 10, n * 10 + 10)),
  );
  const [first, ...others] = inserts;
  if (first) await db.batch([first, ...others]);
}

/** Returns how many rows the owner has in each table. */
async function rowsOf(owner: MailboxOwner): Promise<number[]> {
  const tables = [gmailTokens, gmailSyncStatus, gmailMessages, gmailOauthStates];
  const found = await Promise.all(tables.map((table) => db.select().from(table).where(ownedBy(table, owner))));
  return found.map((rows) => rows.length);
}
