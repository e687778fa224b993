import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { beforeEach, expect, test } from "vitest";
import { auditLog, emailSuppressions, emails } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import { db } from "#tests/workerd/customer.ts";
import { attemptsAt, queueTo, readEmail, sendQueued } from "#tests/workerd/email-api.ts";
import { newAccount } from "#tests/workerd/new-account.ts";
import { faultyAddress } from "#tools/stand-ins/email-faults.ts";
import { deleteEmails } from "./email-personal-data.server.ts";
import { makeEmail, queueEmail } from "./queue-email.server.ts";
import {
  addressDigest,
  deleteLiftedSuppressions,
  isSuppressed,
  liftSuppression,
  suppress,
} from "./suppressions.server.ts";

const URL = "https://growline.example/email/webhook";
const ADMIN = { userId: "admin-1", name: "Al" };
/** A bounce of an address that does not exist. */
const HARD = { type: "Permanent", subType: "General", message: "550 5.1.1 No such user" };

beforeEach(async () => {
  await db.delete(emails);
});

test("remembers an address that the email API refuses, and does not try it again", async () => {
  const to = faultyAddress("refused");
  await queueTo(to);
  await sendQueued();
  expect(await read(to)).toMatchObject({ reason: "refused", emailAddress: to, detail: expect.stringContaining("422") });
  const next = await queueTo(to.toUpperCase());
  expect(await sendQueued()).toBeNull();
  expect(await attemptsAt(to)).toBe(1);
  expect(await readEmail(next)).toMatchObject({ status: "suppressed", attempts: 0, sealedContent: null });
});

test("does not suppress an address because of a refused content or an outage", async () => {
  for (const fault of ["invalid", "down", "locked", "busy"] as const) {
    const to = faultyAddress(fault);
    await queueTo(to);
    await sendQueued();
    expect(await isSuppressed(db, to), fault).toBe(false);
  }
});

test("suppresses an address that bounced for good or complained, and marks the email", async () => {
  for (const type of ["email.bounced", "email.complained"]) {
    const to = newAddress();
    const id = await queueTo(to);
    await sendQueued();
    const bounce = type === "email.bounced" ? { bounce: HARD } : {};
    expect((await deliver(event(type, to, { tags: { email_id: id }, ...bounce }))).status).toBe(204);
    expect(await isSuppressed(db, ` ${to.toUpperCase()}`)).toBe(true);
    expect(await readEmail(id)).toMatchObject({ status: type.slice("email.".length) });
  }
});

test("reads tags as a list of pairs too, and Standard Webhooks' own header names", async () => {
  const to = newAddress();
  const id = await queueTo(to);
  await sendQueued();
  const body = event("email.bounced", to, { tags: [{ name: "email_id", value: id }], bounce: HARD });
  expect((await deliver(body, { prefix: "webhook" })).status).toBe(204);
  expect(await readEmail(id)).toMatchObject({ status: "bounced", lastError: HARD.message });
});

test("keeps writing to an address whose mailbox was only full, and ignores other events", async () => {
  const to = newAddress();
  for (const type of ["Transient", "Temporary", "Undetermined", ""]) {
    expect((await deliver(event("email.bounced", to, { bounce: { ...HARD, type } }))).status).toBe(204);
  }
  for (const type of ["email.delivered", "email.failed", "contact.created"]) {
    expect((await deliver(event(type, to))).status).toBe(204);
  }
  expect((await deliver('{"type":"domain.updated","data":7}')).status).toBe(204);
  expect(await isSuppressed(db, to)).toBe(false);
});

test("shows staff emails that the email API gave up or whose mailbox was full, with a bounded text", async () => {
  const message = "x".repeat(100_000);
  for (const [type, more, status] of [
    ["email.failed", { failed: { reason: message } }, "failed"],
    ["email.bounced", { bounce: { type: "Transient", message } }, "bounced"],
    ["email.bounced", { bounce: { type: "Permanent", message } }, "bounced"],
  ] as const) {
    const to = newAddress();
    const id = await queueTo(to);
    await sendQueued();
    await deliver(event(type, to, { tags: { email_id: id }, ...more }));
    const { lastError, ...email } = await readEmail(id);
    expect(email).toMatchObject({ status });
    expect(lastError).toBe("x".repeat(300));
  }
});

test("marks an email whose bounce is reported before our own write", async () => {
  const to = newAddress();
  const id = await queueTo(to);
  await deliver(event("email.bounced", to, { tags: { email_id: id }, bounce: HARD }));
  expect(await readEmail(id)).toMatchObject({
    status: "bounced",
    sealedContent: null,
    nextAttemptAt: null,
    finishedAt: expect.any(Number),
  });
  expect(await sendQueued()).toBeNull();
});

test("refuses an event with a forged, missing or old signature", async () => {
  const to = newAddress();
  const body = event("email.bounced", to, { bounce: HARD });
  const forged = [
    { secret: `whsec_${btoa("another secret")}` },
    { at: new Date(Date.now() - 6 * 60_000) },
    { at: new Date(Date.now() + 6 * 60_000) },
    { signed: `${body} ` },
    { prefix: "other" },
  ];
  for (const options of forged) expect((await deliver(body, options)).status).toBe(400);
  expect(await isSuppressed(db, to)).toBe(false);
});

test("refuses a body of more than 256 KB, announced or not", async () => {
  const announced = await SELF.fetch(URL, { method: "POST", body: "x".repeat(262_145) });
  expect(announced.status).toBe(413);
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      if (sent > 100_000_000) controller.close();
      else controller.enqueue(new Uint8Array(65_536));
    },
  });
  const streamed = await SELF.fetch(URL, { method: "POST", body: endless, duplex: "half" } as RequestInit);
  expect(streamed.status).toBe(413);
  expect(sent).toBeLessThan(10_000_000);
});

test("a repeated event changes nothing, also after staff allowed the address again", async () => {
  const to = newAddress();
  const happened = new Date(Date.now() - 60_000);
  const body = event("email.bounced", to, { bounce: HARD }, happened);
  await deliver(body);
  const first = await read(to);
  await deliver(body);
  expect(await read(to)).toEqual(first);
  expect(await lift(to, "The mailbox works again")).toEqual({ ok: true });
  expect(await isSuppressed(db, to)).toBe(false);
  await deliver(body);
  expect(await isSuppressed(db, to)).toBe(false);
});

test("suppresses an address again after a newer event", async () => {
  const to = newAddress();
  const digest = addressDigest(to);
  await suppress(db, { address: to, reason: "bounced", detail: null, at: 1000 });
  await db.update(emailSuppressions).set({ liftedAt: 2000 }).where(eq(emailSuppressions.addressDigest, digest));
  await suppress(db, { address: to, reason: "bounced", detail: null, at: 2000 });
  expect(await isSuppressed(db, to)).toBe(false);
  await suppress(db, { address: to, reason: "complained", detail: null, at: 2001 });
  expect(await read(to)).toMatchObject({ reason: "complained", createdAt: 2001, liftedAt: null });
});

test("lifts no suppression that came after the one that was seen", async () => {
  const to = newAddress();
  const digest = addressDigest(to);
  await suppress(db, { address: to, reason: "complained", detail: null, at: 3000 });
  const current = { reason: "complained", createdAt: 3000 };
  const seen = { digest, seenAt: 1000 };
  expect(await liftSuppression(db, ADMIN, seen, "Called them")).toMatchObject({ ok: false, current });
  expect(await isSuppressed(db, to)).toBe(true);
  expect(await auditOf(digest)).toEqual([]);
});

test("records once who allowed an address again, and why", async () => {
  const to = newAddress();
  const digest = addressDigest(to);
  await suppress(db, { address: to, reason: "bounced", detail: null, at: Date.now() });
  const both = await Promise.all([lift(to, "Called them"), lift(to, "Called them")]);
  expect(both.map(({ ok }) => ok).toSorted()).toEqual([false, true]);
  const entries = await auditOf(digest);
  expect(entries).toMatchObject([{ action: "email.allow", actorName: "Al", detail: { reason: "Called them" } }]);
  expect(JSON.stringify(entries)).not.toContain(to);
  const id = await queueTo(to);
  await sendQueued();
  expect(await readEmail(id)).toMatchObject({ status: "sent" });
});

test("a deleted account leaves the digest of its suppressed address only", async () => {
  const { userId, email } = await newAccount();
  const digest = addressDigest(email);
  await suppress(db, { address: email, reason: "complained", detail: "spam", at: Date.now() });
  await suppress(db, { address: newAddress(), reason: "bounced", detail: "other", at: Date.now() });
  await deleteEmails(db, userId);
  expect(await read(email)).toMatchObject({ emailAddress: null, detail: null });
  expect(await isSuppressed(db, email)).toBe(true);
  await lift(email, "Ada asked for it");
  await deleteEmails(db, userId);
  expect(JSON.stringify(await auditOf(digest))).not.toContain("Ada");
});

test("a deleted account leaves the digest of an address that it had before, but not of another account's", async () => {
  const { userId } = await newAccount();
  const other = await newAccount();
  const former = newAddress();
  for (const to of [former, other.email]) {
    const row = await makeEmail(env, "address_confirmation", { to, subject: "S", text: "T", html: "T" }, { userId });
    await queueEmail(db, row);
    await suppress(db, { address: to, reason: "bounced", detail: "text", at: Date.now() });
  }
  await deleteEmails(db, userId);
  expect(await read(former)).toMatchObject({ emailAddress: null, detail: null });
  expect(await read(other.email)).toMatchObject({ emailAddress: other.email, detail: "text" });
});

test("remembers only the digest when a deleted account's email is reported as spam", async () => {
  const { userId, email: to } = await newAccount();
  const email = await makeEmail(env, "transcript", { to, subject: "S", text: "T", html: "T" }, { userId });
  await queueEmail(db, email);
  await deleteEmails(db, userId);
  const body = event("email.complained", to, { tags: { email_id: email.id }, bounce: { type: "", message: to } });
  expect((await deliver(body)).status).toBe(204);
  expect(await read(to)).toMatchObject({ emailAddress: null, detail: null, reason: "complained" });
  expect(await isSuppressed(db, to)).toBe(true);
});

test("forgets a lifted suppression after 30 days", async () => {
  const [old, recent] = [newAddress(), newAddress()];
  for (const address of [old, recent]) await suppress(db, { address, reason: "bounced", detail: null, at: 1 });
  for (const [address, days] of [
    [old, 31],
    [recent, 29],
  ] as const) {
    await db
      .update(emailSuppressions)
      .set({ liftedAt: Date.now() - days * DAY_MS })
      .where(eq(emailSuppressions.addressDigest, addressDigest(address)));
  }
  await deleteLiftedSuppressions(db);
  expect(await read(old)).toBeUndefined();
  expect(await read(recent)).toBeDefined();
});

function newAddress(): string {
  return `${crypto.randomUUID()}@test.example`;
}

async function lift(address: string, reason: string) {
  const seen = { digest: addressDigest(address), seenAt: (await read(address))?.createdAt ?? 0 };
  return liftSuppression(db, ADMIN, seen, reason);
}

async function read(address: string) {
  const [row] = await db
    .select()
    .from(emailSuppressions)
    .where(eq(emailSuppressions.addressDigest, addressDigest(address)));
  return row;
}

function auditOf(digest: string) {
  return db
    .select()
    .from(auditLog)
    .where(and(eq(auditLog.subjectType, "email"), eq(auditLog.subjectId, digest)));
}

function event(type: string, to: string, more: object = {}, at = new Date()): string {
  const data = { email_id: crypto.randomUUID(), from: "Growline <a@b.example>", to: [to], subject: "S", ...more };
  return JSON.stringify({ type, created_at: at.toISOString(), data });
}

/** Delivers an event as Resend does, signed by the library. `signed`: what the signature is for, if not the body. */
function deliver(
  body: string,
  {
    secret = env.EMAIL_WEBHOOK_SECRET ?? "",
    at = new Date(),
    signed = body,
    prefix = "svix",
  }: { secret?: string; at?: Date; signed?: string; prefix?: string } = {},
): Promise<Response> {
  const id = `msg_${crypto.randomUUID()}`;
  const headers = {
    "Content-Type": "application/json",
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: String(Math.floor(at.getTime() / 1000)),
    [`${prefix}-signature`]: new Webhook(secret).sign(id, at, signed),
  };
  return SELF.fetch(URL, { method: "POST", headers, body });
}
