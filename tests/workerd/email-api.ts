import { env } from "cloudflare:workers";
import { asc, eq } from "drizzle-orm";
import { inject } from "vitest";
import { emails } from "#app/db/schema.server.ts";
import { newEmailMemory } from "#app/email/email-pace.ts";
import { type EmailQueueEnv, runEmailQueue } from "#app/email/email-queue.server.ts";
import { makeEmail, queueEmail } from "#app/email/queue-email.server.ts";
import { db } from "./customer.ts";

/** The email API of the tests: the stand-in of local development, with its faults. */

const api = () => inject("emailApi");

export function emailEnv(): EmailQueueEnv {
  const { url, key } = api();
  return { ...env, EMAIL_API_URL: url, EMAIL_API_KEY: key };
}

/** Returns the bindings with a dispatcher that does nothing when it is woken, so that a test can look at the queue. */
export function withoutDispatcher(bindings: Env): Env {
  const EMAIL_DISPATCHER = { getByName: () => ({ wake: async () => {} }) } as unknown as Env["EMAIL_DISPATCHER"];
  return { ...bindings, EMAIL_DISPATCHER };
}

/** Queues an email and returns its id. */
export async function queueTo(to: string): Promise<string> {
  const email = await makeEmail(env, "transcript", { to, subject: "Subject", text: "Text", html: "<p>Text</p>" });
  await queueEmail(db, email);
  return email.id;
}

/** Runs a round of the dispatcher, without its alarm. */
export function sendQueued(memory = newEmailMemory()): Promise<number | null> {
  return runEmailQueue(db, emailEnv(), memory);
}

/** Makes a queued email due at once. */
export async function makeDue(id: string): Promise<void> {
  await db.update(emails).set({ nextAttemptAt: Date.now() }).where(eq(emails.id, id));
}

export async function readEmail(id: string) {
  const [email] = await db.select().from(emails).where(eq(emails.id, id));
  if (!email) throw new Error("email not found");
  return email;
}

export function emailsTo(recipient: string) {
  return db.select().from(emails).where(eq(emails.recipient, recipient)).orderBy(asc(emails.createdAt));
}

/** Returns how many emails to that address the email API took, of the newest 50. */
export async function receivedAt(to: string): Promise<number> {
  const received = await ask<{ to: string[] }[]>("/emails");
  return received.filter((email) => email.to.includes(to)).length;
}

/** Returns how often an email to that address was posted. */
export function attemptsAt(to: string): Promise<number> {
  return ask(`/attempts?${new URLSearchParams({ to })}`);
}

async function ask<T>(path: string): Promise<T> {
  const { url, key } = api();
  const response = await fetch(new URL(path, url), { headers: { Authorization: `Bearer ${key}` } });
  return response.json<T>();
}
