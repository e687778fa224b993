import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, expect, test, vi } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { emails } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { countedDatabase } from "#tests/workerd/counted-database.ts";
import { db } from "#tests/workerd/customer.ts";
import {
  attemptsAt,
  emailEnv,
  emailsTo,
  makeDue,
  queueTo,
  readEmail,
  receivedAt,
  sendQueued,
  withoutDispatcher,
} from "#tests/workerd/email-api.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { faultyAddress } from "#tools/stand-ins/email-faults.ts";
import { newEmailMemory } from "./email-pace.ts";
import { deleteOldEmails, runEmailQueue } from "./email-queue.server.ts";
import { makeEmail, queueEmail, queueUnreadReplies } from "./queue-email.server.ts";

beforeEach(async () => {
  await db.delete(emails);
});

test("sends a queued email once, deletes its content and then sleeps", async () => {
  const to = `${crypto.randomUUID()}@test.example`;
  const id = await queueTo(to);
  expect((await readEmail(id)).sealedContent).not.toContain("Text");
  expect(await sendQueued()).toBeNull();
  expect(await sendQueued()).toBeNull();
  expect(await receivedAt(to)).toBe(1);
  expect(await readEmail(id)).toMatchObject({
    status: "sent",
    attempts: 1,
    sealedContent: null,
    nextAttemptAt: null,
    finishedAt: expect.any(Number),
  });
});

test("tries an email again after the email API failed, then sends it", async () => {
  const to = faultyAddress("down");
  const id = await queueTo(to);
  const wait = await sendQueued();
  expect(wait).toBeGreaterThan(0);
  expect(await readEmail(id)).toMatchObject({
    status: "queued",
    attempts: 1,
    lastError: expect.stringContaining("503"),
  });
  // Not due yet.
  await sendQueued();
  expect(await attemptsAt(to)).toBe(1);
  await makeDue(id);
  expect(await sendQueued()).toBeNull();
  expect(await readEmail(id)).toMatchObject({ status: "sent", attempts: 2, lastError: null });
  expect(await receivedAt(to)).toBe(1);
});

test("does not slow down for emails whose content can't be decrypted", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const memory = newEmailMemory();
  const unreadable: string[] = [];
  for (let n = 0; n < 6; n++) unreadable.push(await queueTo(`${crypto.randomUUID()}@test.example`));
  await db.update(emails).set({ sealedContent: "of a lost key" });
  await sendQueued(memory);
  expect(await readEmail(unreadable[5] ?? "")).toMatchObject({ status: "queued", attempts: 1 });
  for (const id of unreadable) await makeDue(id);
  const id = await queueTo(`${crypto.randomUUID()}@test.example`);
  await sendQueued(memory);
  expect(await readEmail(id)).toMatchObject({ status: "sent" });
  expect(errors).toHaveBeenCalledTimes(12);
  errors.mockRestore();
});

test("sends an email once although the response to the first attempt was lost", async () => {
  const to = faultyAddress("cut");
  const id = await queueTo(to);
  await sendQueued();
  expect(await readEmail(id)).toMatchObject({ status: "queued", attempts: 1 });
  await makeDue(id);
  await sendQueued();
  expect(await readEmail(id)).toMatchObject({ status: "sent" });
  expect(await attemptsAt(to)).toBe(2);
  expect(await receivedAt(to)).toBe(1);
});

test("sends an email once although the outcome of the first attempt could not be stored", async () => {
  const to = `${crypto.randomUUID()}@test.example`;
  const id = await queueTo(to);
  await expect(runEmailQueue(connect(refusingUpdates(env.DB)), emailEnv(), newEmailMemory())).rejects.toThrow();
  expect(await readEmail(id)).toMatchObject({ status: "queued", attempts: 0 });
  await sendQueued();
  expect(await readEmail(id)).toMatchObject({ status: "sent" });
  expect(await attemptsAt(to)).toBe(2);
  expect(await receivedAt(to)).toBe(1);
});

test("waits for the other emails of a group before it fails, so that the next round sends none of them again", async () => {
  for (let n = 0; n < 2; n++) await queueTo(`${crypto.randomUUID()}@test.example`);
  const slow = Promise.withResolvers<void>();
  const send = vi.fn().mockResolvedValueOnce(undefined).mockReturnValueOnce(slow.promise);
  const { EMAIL_API_URL: _, ...bindings } = { ...env, EMAIL: { send } as unknown as SendEmail };
  const ends: string[] = [];
  const round = runEmailQueue(connect(refusingUpdates(env.DB)), bindings, newEmailMemory());
  const ended = round.catch(() => void ends.push("round"));
  await vi.waitUntil(() => send.mock.calls.length === 2, { timeout: 90_000 });
  // Longer than the failed write takes.
  for (let n = 0; n < 5; n++) await db.$count(emails);
  ends.push("slow email");
  slow.resolve();
  await ended;
  expect(ends).toEqual(["slow email", "round"]);
});

test("pauses as long as the email API asks, without a write", async () => {
  const memory = newEmailMemory();
  const id = await queueTo(faultyAddress("busy"));
  const wait = await sendQueued(memory);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(1000);
  expect(await readEmail(id)).toMatchObject({ status: "queued", attempts: 0 });
  memory.pausedUntil = 0;
  expect(await sendQueued(memory)).toBeNull();
  expect(await readEmail(id)).toMatchObject({ status: "sent", attempts: 1 });
});

test("ends a round before it has used up what an alarm may send to D1, and continues at once", async () => {
  const email = { to: "many@test.example", subject: "S", text: "T", html: "T" };
  for (let batch = 0; batch < 8; batch++) {
    const many = await Promise.all(Array.from({ length: 100 }, () => makeEmail(env, "transcript", email)));
    const [first, ...rest] = many.map((one) => queueEmail(db, one));
    if (first) await db.batch([first, ...rest]);
  }
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ id: "1" }));
  const { database, counts } = countedDatabase(env.DB);
  expect(await runEmailQueue(connect(database), emailEnv(), newEmailMemory())).toBe(0);
  expect(counts.queries).toBeLessThan(1000);
  expect(fetched.mock.calls.length).toBeGreaterThan(150);
  fetched.mockRestore();
});

test("sends one email at a time while the email API fails, and all of them after a success", async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => queueTo(faultyAddress("locked"))));
  const memory = newEmailMemory();
  await sendQueued(memory);
  expect(await tried(ids)).toBe(5);
  expect(memory).toMatchObject({ failures: 1, pausedUntil: expect.any(Number) });
  memory.pausedUntil = 0;
  await sendQueued(memory);
  expect(await tried(ids)).toBe(6);
  const later = await queueTo(`${crypto.randomUUID()}@test.example`);
  await db.update(emails).set({ nextAttemptAt: 1 }).where(eq(emails.id, later));
  memory.pausedUntil = 0;
  await sendQueued(memory);
  expect(await readEmail(later)).toMatchObject({ status: "sent" });
});

test("gives up expired emails without another pause while the email API fails", async () => {
  const memory = { ...newEmailMemory(), failures: 1 };
  const ids = await Promise.all([1, 2, 3].map(() => queueTo(faultyAddress("locked"))));
  await db.update(emails).set({ expiresAt: 1 });
  expect(await sendQueued(memory)).toBeNull();
  expect(await tried(ids)).toBe(0);
  expect(memory.pausedUntil).toBe(0);
});

test("does not hold up the others for one email that keeps failing", async () => {
  const memory = newEmailMemory();
  const failing = await queueTo(faultyAddress("locked"));
  for (let attempt = 1; attempt <= 4; attempt++) {
    await makeDue(failing);
    await sendQueued(memory);
  }
  expect(memory.pausedUntil).toBe(0);
  const id = await queueTo(`${crypto.randomUUID()}@test.example`);
  await sendQueued(memory);
  expect(await readEmail(id)).toMatchObject({ status: "sent" });
  expect(await readEmail(failing)).toMatchObject({ status: "queued", attempts: 4 });
});

test("gives up at once on an email that the email API refuses", async () => {
  for (const fault of ["refused", "invalid"] as const) {
    const to = faultyAddress(fault);
    const id = await queueTo(to);
    expect(await sendQueued()).toBeNull();
    expect(await attemptsAt(to)).toBe(1);
    expect(await readEmail(id)).toMatchObject({ status: "failed", sealedContent: null, nextAttemptAt: null });
    expect((await readEmail(id)).lastError).toContain("HTTP 422 validation_error");
  }
});

test("keeps an email for later while our key is refused", async () => {
  const id = await queueTo(faultyAddress("locked"));
  await sendQueued();
  expect(await readEmail(id)).toMatchObject({
    status: "queued",
    attempts: 1,
    lastError: expect.stringContaining("403"),
  });
});

test("does not send an email after its expiry, and comes due then", async () => {
  const to = faultyAddress("down");
  const id = await queueTo(to);
  const expiresAt = Date.now() + 4000;
  await db.update(emails).set({ expiresAt }).where(eq(emails.id, id));
  await sendQueued();
  expect(await readEmail(id)).toMatchObject({ status: "queued", nextAttemptAt: expiresAt });
  await db.update(emails).set({ expiresAt: 1, nextAttemptAt: 1 }).where(eq(emails.id, id));
  expect(await sendQueued()).toBeNull();
  expect(await attemptsAt(to)).toBe(1);
  expect(await readEmail(id)).toMatchObject({
    status: "expired",
    attempts: 1,
    sealedContent: null,
    lastError: expect.stringContaining("503"),
  });
});

test("keeps an email whose content can't be decrypted until the key is back", async () => {
  const id = await queueTo(`${crypto.randomUUID()}@test.example`);
  const wrong = { ...emailEnv(), ENCRYPTION_KEYS: `9:${btoa("z".repeat(32))}` };
  await runEmailQueue(db, wrong, newEmailMemory());
  expect(await readEmail(id)).toMatchObject({ status: "queued", attempts: 1 });
  await makeDue(id);
  await sendQueued();
  expect(await readEmail(id)).toMatchObject({ status: "sent" });
});

test("refuses to queue an email that D1 could not store", async () => {
  const email = { to: "a@test.example", subject: "S", text: "x".repeat(1_500_000), html: "" };
  await expect(makeEmail(env, "transcript", email)).rejects.toThrow("too long");
  await queueEmail(db, await makeEmail(env, "transcript", { ...email, text: "x".repeat(1_400_000) }));
});

test("queues the email about a run of replies once, also for an account", async () => {
  const { userId, email: to } = await newAccount();
  const email = { to, subject: "S", text: "T", html: "T" };
  for (const upTo of [2, 3]) {
    await queueUnreadReplies(
      db,
      withoutDispatcher(env),
      { ...email, text: `up to ${upTo}` },
      { userId, onceKey: "room 1" },
    );
  }
  expect(await emailsTo(to)).toHaveLength(1);
  await queueUnreadReplies(db, withoutDispatcher(env), email, { userId, onceKey: "room 4" });
  expect(await emailsTo(to)).toHaveLength(2);
});

test("an email costs 6 written rows, and nothing is written while none is due", async () => {
  const { userId, email: to } = await newAccount();
  const { database, byStatement, counts } = countedDatabase(env.DB);
  const counted = connect(database);
  const written = () => [...byStatement.values()].reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
  const email = await makeEmail(env, "password_changed", { to, subject: "S", text: "T", html: "T" }, { userId });
  await queueEmail(counted, email);
  // The row, its id and three indexes: due, by time, by account.
  expect(written()).toBe(5);
  await runEmailQueue(counted, emailEnv(), newEmailMemory());
  // The row leaves the index of what is due.
  expect(written()).toBe(6);
  const read = counts.rowsRead;
  await runEmailQueue(counted, emailEnv(), newEmailMemory());
  expect(written()).toBe(6);
  expect(counts.rowsRead - read).toBeLessThanOrEqual(3);
});

test("deletes emails after 30 days", async () => {
  const old = await queueTo("old@test.example");
  const recent = await queueTo("recent@test.example");
  await db
    .update(emails)
    .set({ createdAt: Date.now() - 31 * DAY_MS })
    .where(eq(emails.id, old));
  await deleteOldEmails(db, 30);
  expect((await db.select({ id: emails.id }).from(emails)).map(({ id }) => id)).toEqual([recent]);
});

async function tried(ids: string[]): Promise<number> {
  const rows = await Promise.all(ids.map(readEmail));
  return rows.filter(({ attempts }) => attempts > 0).length;
}

/** A database that reads but fails to update. */
function refusingUpdates(database: D1Database): D1Database {
  return {
    prepare(query: string) {
      if (/^update/i.test(query)) throw new Error("the database is down");
      return database.prepare(query);
    },
  } as D1Database;
}
