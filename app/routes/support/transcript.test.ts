import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { emails } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { stalls } from "#tests/workerd/stalled-database.ts";
import { newVisitor, ORIGIN, roomOf } from "#tests/workerd/support-visitor.ts";
import worker from "#workers/app.ts";

const WINDOW_MS = 10 * 60_000;
const stalled = stalls();
const standing = stalled.in(env);

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await stalled.end();
});

test("emails a transcript once that is asked for again after a lost answer, and once more later", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  // The clock stands at the start of a window.
  const now = Math.ceil(Date.now() / WINDOW_MS) * WINDOW_MS;
  vi.useFakeTimers({ toFake: ["Date"], now });
  const email = `${crypto.randomUUID()}@visitor.example`;
  const visitor = await newVisitor("Ada", email);
  await roomOf(visitor.sessionId).setStatus("closed");
  const ask = async () => (await worker.fetch(...askedBy(visitor))).status;
  const queued = () => db.$count(emails, and(eq(emails.kind, "transcript"), eq(emails.recipient, email)));

  isLosing = true;
  expect(await ask()).toBe(503);
  isLosing = false;
  await stalled.end();
  expect(await queued()).toBe(1);
  vi.setSystemTime(now + WINDOW_MS - 1);
  expect(await ask()).toBe(204);
  expect(await queued()).toBe(1);
  vi.setSystemTime(now + WINDOW_MS);
  expect(await ask()).toBe(204);
  expect(await queued()).toBe(2);
});

let isLosing = false;
/** The database that loses its answers from the moment on at which an email is queued. */
const DB = {
  ...standing.DB,
  withSession: () => DB,
  prepare(query: string) {
    if (isLosing && query.startsWith('insert into "emails"')) stalled.losingAnswers();
    return standing.DB.prepare(query);
  },
} as unknown as D1Database & D1DatabaseSession;

function askedBy({ sessionId, cookie }: { sessionId: string; cookie: string }): Parameters<typeof worker.fetch> {
  const request = new Request(`${ORIGIN}/support/sessions/${sessionId}/transcript`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
    body: "{}",
  });
  return [
    request as Parameters<typeof worker.fetch>[0],
    { ...withoutDispatcher(standing), DB },
    createExecutionContext(),
  ];
}
