import { expect, test, vi } from "vitest";
import { gmailMessages, gmailOauthStates, gmailSyncStatus, gmailTokens } from "#app/db/schema.server.ts";
import { type MailboxOwner, ownedBy, ZERO_USER_ID } from "#app/gmail/tokens/mailbox-owner.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { someone } from "#tests/workerd/gmail-mailbox.ts";
import { forgetMailbox, readGmailData, readMailbox } from "./mailbox.server.ts";

/** Noon of 2026-11-22, in UTC. */
const NOW = Date.UTC(2026, 10, 22, 12);
const TODAY = Date.UTC(2026, 10, 22);

const NOBODY = {
  connected: false,
  reconnectNeeded: false,
  emailAddress: null,
  connectedAt: null,
  autoSync: false,
  lastError: null,
  progress: null,
  nextSyncAt: null,
};

test("reads a connection, also without a sync, and none of another person's", async () => {
  const [owner, other] = [someVisitor(), someVisitor()];
  expect(await readMailbox(db, null)).toEqual(NOBODY);
  await addStatus(owner, { autoSync: true, lastError: "Away", nextSyncAt: 7 });
  expect(await readMailbox(db, owner)).toEqual(NOBODY);
  await addTokens(owner, { emailAddress: "ada@mail.example", createdAt: 5 });
  await addTokens(other, { emailAddress: "bo@mail.example", createdAt: 6, accessToken: null });
  const connected = { connected: true, emailAddress: "ada@mail.example", connectedAt: 5 };
  const mailbox = { ...NOBODY, ...connected, autoSync: true, lastError: "Away", nextSyncAt: 7 };
  expect(await readMailbox(db, owner)).toEqual(mailbox);
  const refused = { reconnectNeeded: true, emailAddress: "bo@mail.example", connectedAt: 6 };
  expect(await readMailbox(db, other)).toEqual({ ...NOBODY, ...refused });
});

test.for<[what: string, status: Status, progress: object | null]>([
  ["nothing once it is over", { leaseUntil: NOW, pending: "[]" }, null],
  ["that it is running", { leaseUntil: NOW + 1, pending: "[]" }, { done: 2, total: 9, running: true }],
  ["that it waits to resume", { leaseUntil: NOW, pending: '["a"]' }, { done: 2, total: 9, running: false }],
])("shows of a sync %s", async ([, status, progress]) => {
  const owner = someone();
  await addTokens(owner);
  await addStatus(owner, { ...status, progress: 2, progressTotal: 9 });
  expect((await readMailbox(db, owner, NOW)).progress).toEqual(progress);
});

test("knows the time of the mailbox's own last sync, and has no data before it", async () => {
  const [owner, other] = [someVisitor(), someVisitor()];
  expect(await readGmailData(db, owner)).toBeNull();
  await addStatus(owner, { lastSyncAt: 5 });
  await addStatus(other, { lastSyncAt: 6 });
  expect(await readGmailData(db, owner)).toMatchObject({ lastSyncAt: 5, synced: 0, recent: [], topSenders: [] });
  expect(await readGmailData(db, other)).toMatchObject({ lastSyncAt: 6 });
  // The first sync has not ended yet.
  const reading = someVisitor();
  await addMessages(reading, [TODAY]);
  expect(await readGmailData(db, reading)).toMatchObject({ lastSyncAt: null, synced: 1 });
});

test("returns the stored mailbox total and the number of synced messages", async () => {
  const [owner, other] = [someVisitor(), someVisitor()];
  await addStatus(owner, { lastSyncAt: 5, totalMessages: 7 });
  await addStatus(other, { lastSyncAt: 5, totalMessages: 8 });
  await addMessages(owner, [TODAY, TODAY]);
  expect(await readGmailData(db, owner)).toMatchObject({ totalMessages: 7, synced: 2 });
  expect(await readGmailData(db, other)).toMatchObject({ totalMessages: 8, synced: 0 });
});

test("lists the ten newest messages, and counts each day from its first millisecond", async () => {
  const [owner, other] = [someVisitor(), someVisitor()];
  const firstDay = TODAY - 13 * DAY_MS;
  const times = [firstDay - 1, firstDay, firstDay + DAY_MS - 1, firstDay + DAY_MS, TODAY - 1, TODAY, NOW, NOW];
  await addMessages(owner, [...times, ...Array<number>(5).fill(1)]);
  await addMessages(other, [NOW, NOW, NOW]);
  const data = await readGmailData(db, owner, NOW);
  expect(data?.synced).toBe(13);
  expect(data?.recent.map(({ id }) => id)).toEqual(["m7", "m6", "m5", "m4", "m3", "m2", "m1", "m0", "m9", "m8"]);
  expect(data?.recent[0]).toEqual(messageOf(7, NOW));
  const days = Array.from({ length: 14 }, (_, n) => `2026-11-${String(n + 9).padStart(2, "0")}`);
  const values = [2, 1, ...Array<number>(10).fill(0), 1, 3];
  expect(data?.perDay).toEqual(days.map((day, n) => ({ day, value: values[n] })));
});

test("names the five who send most, however they write their address, equal ones by it", async () => {
  const [owner, other] = [someVisitor(), someVisitor()];
  const senders = ["b", "a", "c", "C", "d", "e", "f"].map((name) => `${name}@sender.example`);
  await addMessages(
    owner,
    senders.map(() => NOW),
    senders,
  );
  await addMessages(other, [NOW, NOW, NOW], Array<string>(3).fill("f@sender.example"));
  await db.update(gmailMessages).set({ fromName: "" }).where(ownedBy(gmailMessages, other));
  const data = await readGmailData(db, owner, NOW);
  const names = data?.topSenders.map(({ email, name, messages }) => `${email[0]} ${name} ${messages}`);
  expect(names).toEqual(["c Sender 3 2", "a Sender 1 1", "b Sender 0 1", "d Sender 4 1", "e Sender 5 1"]);
});

test("has no statistics while the database fails", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const batch = vi.spyOn(db, "batch").mockRejectedValueOnce(new Error("Network connection lost"));
  expect(await readGmailData(db, someone())).toBeNull();
  expect(errors).toHaveBeenCalledTimes(1);
  batch.mockRestore();
  errors.mockRestore();
});

test("forgets all of one mailbox, and nothing of another", async () => {
  const [owner, other] = [someVisitor(), someVisitor()];
  for (const one of [owner, other]) {
    await addTokens(one);
    await addStatus(one, {});
    await addMessages(one, [1, 2]);
    const state = { stateDigest: crypto.randomUUID(), browserDigest: "b", codeVerifier: "c", mode: "popup" as const };
    await db.insert(gmailOauthStates).values({ ...one, ...state, expiresAt: 1 });
  }
  await forgetMailbox(db, owner);
  expect(await rowsOf(owner)).toEqual([0, 0, 0, 0]);
  expect(await rowsOf(other)).toEqual([1, 1, 2, 1]);
});

type Status = Partial<typeof gmailSyncStatus.$inferInsert>;

function someVisitor(): MailboxOwner {
  return { userId: ZERO_USER_ID, ownerDigest: crypto.randomUUID() };
}

function addTokens(owner: MailboxOwner, more: Partial<typeof gmailTokens.$inferInsert> = {}) {
  return db.insert(gmailTokens).values({ ...owner, accessToken: "sealed", createdAt: 1, ...more });
}

function addStatus(owner: MailboxOwner, status: Status) {
  return db.insert(gmailSyncStatus).values({ ...owner, ...status });
}

function messageOf(n: number, internalDate: number, fromEmail = "ada@sender.example") {
  return {
    id: `m${n}`,
    fromEmail,
    fromName: `Sender ${n}`,
    subject: `Subject ${n}`,
    snippet: `Text ${n}`,
    internalDate,
  };
}

async function addMessages(owner: MailboxOwner, times: number[], senders: string[] = []): Promise<void> {
  const rows = times.map((at, n) => ({ ...owner, ...messageOf(n, at, senders[n]) }));
  for (const row of rows) await db.insert(gmailMessages).values(row);
}

/** Returns how many rows the owner has in each table. */
async function rowsOf(owner: MailboxOwner): Promise<number[]> {
  const tables = [gmailTokens, gmailSyncStatus, gmailMessages, gmailOauthStates];
  const found = await Promise.all(tables.map((table) => db.select().from(table).where(ownedBy(table, owner))));
  return found.map((rows) => rows.length);
}
