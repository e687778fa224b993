import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { unreadReplyEmail } from "#app/support/email/unread-reply-email.ts";
import { emailUnreadReplies } from "#app/support/email/unread-reply-mailer.server.ts";
import { readVersionedSettings, saveSettings } from "#app/support/team/support-settings.server.ts";
import { DEFAULT_SETTINGS } from "#app/support/team/team-settings.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import { atScale } from "#tests/workerd/at-scale.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, openConnection, roomOf, startChat, until } from "#tests/workerd/support-visitor.ts";

const db = connect(env.DB);
const supportDb = connectSupport(env.DB_SUPPORT);
const ADMIN = { userId: "admin-1", name: "Al" };
const LATER_MS = 4 * 60_000;
type Email = Parameters<Parameters<typeof emailUnreadReplies>[2]>[0];

test("emails unread replies to a visitor who left, once per run of replies", async () => {
  await saveSettings(db, DEFAULT_SETTINGS, ADMIN, (await readVersionedSettings(db)).version);
  const { sessionId, cookie } = await visitorWithEmail("ada@test.example");
  const visitor = await openConnection(sessionId, cookie);
  visitor.sendMessage("a", "Where is it?");
  await visitor.next("ack");
  await reply(sessionId, "1", "It is <b>here</b>.");
  // The page is still open, so nothing is emailed.
  expect(await emailsAt(Date.now() + LATER_MS)).toEqual([]);
  visitor.close();
  await until(async () => !(await isHere(sessionId)));
  // Too early.
  expect(await emailsAt(Date.now())).toEqual([]);
  const [email, ...others] = await emailsAt(Date.now() + 2 * LATER_MS);
  expect(others).toEqual([]);
  expect(email).toMatchObject({ to: "ada@test.example", text: expect.stringContaining("It is <b>here</b>.") });
  expect(email?.text).toContain(`${ORIGIN}/#support-chat`);
  expect(email?.html).toContain("It is &lt;b&gt;here&lt;/b&gt;.");
  // The same run of replies gets no second email.
  await reply(sessionId, "2", "Are you there?");
  expect(await emailsAt(Date.now() + 2 * LATER_MS)).toEqual([]);
  // The visitor reads, leaves, and gets another reply.
  const again = await openConnection(sessionId, cookie);
  again.raw('{"type":"read","seq":4}');
  again.close();
  await until(async () => !(await isHere(sessionId)));
  await reply(sessionId, "3", "One more thing");
  const [second] = await emailsAt(Date.now() + LATER_MS);
  expect(second?.text).toContain("One more thing");
  expect(second?.text).not.toContain("Are you there?");
});

test("emails an unread reply to an address that was added after it", async () => {
  const { sessionId, cookie } = await newVisitor();
  await reply(sessionId, "1", "Here is the answer");
  expect(await emailsAt(Date.now() + LATER_MS)).toEqual([]);
  const response = await SELF.fetch(`${ORIGIN}/support/sessions/${sessionId}/email`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
    body: JSON.stringify({ email: "late@test.example" }),
  });
  expect(response.status).toBe(204);
  // Each run is the cron's; the room stores its changes shortly after them.
  const [email] = await until(async () => {
    const emails = await emailsAt(Date.now() + LATER_MS);
    return emails.length > 0 && emails;
  });
  expect(email).toMatchObject({ to: "late@test.example", text: expect.stringContaining("Here is the answer") });
});

test("retries a failed email only after its lease, and sends none without an address", async () => {
  const { sessionId } = await visitorWithEmail("bob@test.example");
  await reply(sessionId, "1", "Hello");
  const nobody = await newVisitor();
  await reply(nobody.sessionId, "1", "Hello");
  let tries = 0;
  const failing = async () => {
    tries += 1;
    throw new Error("the email service is down");
  };
  await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, failing, Date.now() + LATER_MS);
  await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, failing, Date.now() + LATER_MS);
  expect(tries).toBe(1);
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId));
  expect(row).toMatchObject({ emailedSeq: 0, replySeq: 2, userReadSeq: 0 });
});

test("names a run of replies by one key, also if it crashed after queueing and more replies came meanwhile", async () => {
  const { sessionId, cookie } = await visitorWithEmail("crashed@test.example");
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
    errors.mockRestore();
  });
  const keys: string[] = [];
  const queue: Parameters<typeof emailUnreadReplies>[2] = async ({ to }, { onceKey }) => {
    if (to === "crashed@test.example") keys.push(onceKey);
    return true;
  };
  const runLater = (rooms: Env["SUPPORT_ROOM"]) => {
    // The lease of the crashed run has ended too.
    vi.setSystemTime(Date.now() + 10 * LATER_MS);
    return emailUnreadReplies(supportDb, rooms, queue, Date.now());
  };
  let last = 0;
  // The email is queued in the main database, and the room is never told.
  const crashing = {
    getByName: (name: string) => ({
      async claimUnreadReplies() {
        const claimed = await roomOf(name).claimUnreadReplies();
        if (name === sessionId) last = claimed?.upTo ?? last;
        return claimed;
      },
      markEmailed: () => Promise.reject(new Error("the worker was killed")),
    }),
  } as unknown as Env["SUPPORT_ROOM"];
  for (const text of ["First", "Second", "Third"]) {
    await reply(sessionId, text, text);
    await runLater(crashing);
  }
  expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  await runLater(env.SUPPORT_ROOM);
  expect(keys).toEqual([keys[0], keys[0], keys[0], keys[0]]);

  // The visitor reads, which ends the run.
  const visitor = await openConnection(sessionId, cookie);
  visitor.raw(JSON.stringify({ type: "read", seq: last }));
  visitor.close();
  await until(async () => !(await isHere(sessionId)));
  await reply(sessionId, "next", "One more thing");
  await runLater(env.SUPPORT_ROOM);
  expect(keys).toHaveLength(5);
  expect(keys[4]).not.toBe(keys[0]);
});

test("lets no open page or failing address hold up the others", async () => {
  const each = atScale(15, 30);
  const sitters = await Promise.all(
    Array.from({ length: each }, async (_, at) => {
      const sitter = await visitorWithEmail(`sitter${at}@test.example`);
      const connection = await openConnection(sitter.sessionId, sitter.cookie);
      await reply(sitter.sessionId, "1", "Are you there?");
      return connection;
    }),
  );
  const refused = await Promise.all(
    Array.from({ length: each }, (_, at) => visitorWithEmail(`refused${at}@test.example`)),
  );
  for (const { sessionId } of refused) await reply(sessionId, "1", "Hello");
  const gone = await visitorWithEmail("gone@test.example");
  await reply(gone.sessionId, "1", "Here is what you asked for");
  const emailed: string[] = [];
  const send = async (email: Email) => {
    if (email.to.startsWith("refused")) throw new Error("no such mailbox");
    emailed.push(email.to);
    return true;
  };
  const start = Date.now() + LATER_MS;
  const minutes = async (from: number, to: number) => {
    for (let at = from; at < to; at++) await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, send, start + at * 60_000);
  };
  await minutes(0, 1);
  expect(emailed).toEqual([]);
  // More conversations come first in the queue than the 25 that a run takes.
  await minutes(1, 3);
  expect(emailed).toEqual(["gone@test.example"]);
  // A visitor who leaves gets the email when the queue comes around again.
  sitters[0]?.close();
  await sitters[0]?.closed();
  await minutes(3, atScale(6, 10));
  expect(emailed).toEqual(["gone@test.example", "sitter0@test.example"]);
  for (const connection of sitters.slice(1)) connection.close();
});

test("lets no room that hangs hold up the others", async () => {
  const hanging = await visitorWithEmail("hanging@test.example");
  await reply(hanging.sessionId, "1", "Hello");
  const other = await visitorWithEmail("other@test.example");
  await reply(other.sessionId, "1", "Hello");
  const rooms = {
    getByName: (name: string) =>
      name === hanging.sessionId ? { claimUnreadReplies: () => new Promise(() => {}) } : roomOf(name),
  } as unknown as Env["SUPPORT_ROOM"];
  const { promise: sent, resolve } = Promise.withResolvers<string>();
  const send = async (email: Email) => {
    if (email.to === "other@test.example") resolve(email.to);
    return true;
  };
  void emailUnreadReplies(supportDb, rooms, send, Date.now() + LATER_MS);
  expect(await sent).toBe("other@test.example");
});

test("links to the conversation in that browser, or to the sign-in of an account", async () => {
  const email = { email: "a@test.example", name: "Ada", origin: ORIGIN, unread: [] };
  const textOf = (isAccount: boolean, takesAnswers = false) =>
    unreadReplyEmail({ ...email, isAccount, takesAnswers }).text;
  expect(textOf(false)).toContain("We can't read replies to this email. Continue");
  expect(textOf(false, true)).toContain("Reply to this email, or continue the conversation in the browser");
  expect(textOf(false)).toContain(`in the browser you wrote from:\n${ORIGIN}/#support-chat\n`);
  expect(textOf(true)).toContain(`conversation:\n${ORIGIN}/auth/login?redirectTo=%2Fdashboard%23support-chat\n`);
  const { cookie } = await signedIn("customer", "Cy");
  const answered = await SELF.fetch(`${ORIGIN}/auth/login?redirectTo=%2Fdashboard%23support-chat`, {
    headers: { Cookie: cookie },
    redirect: "manual",
  });
  expect(answered.headers.get("Location")).toBe("/dashboard#support-chat");
});

async function visitorWithEmail(email: string) {
  const response = await startChat({ name: "Ada", email });
  const { session } = await response.json<{ session: { session_id: string } }>();
  return { sessionId: session.session_id, cookie: cookiesOf(response) };
}

async function reply(sessionId: string, clientId: string, body: string): Promise<void> {
  await roomOf(sessionId).sendMessage({ side: "admin", author: "agent-1", name: "Bo" }, { clientId, body });
  await roomOf(sessionId).applyAction(
    { id: "agent-1", name: "Bo" },
    { action: "tag", tag: `replied ${clientId}`, isOn: true },
  );
}

async function emailsAt(now: number): Promise<Email[]> {
  const sent: Email[] = [];
  await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, async (email) => sent.push(email) > 0, now);
  return sent;
}

async function isHere(sessionId: string): Promise<boolean> {
  return roomOf(sessionId).isVisitorHere();
}
