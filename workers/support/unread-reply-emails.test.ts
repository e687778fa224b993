import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connect, connectSupport } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { unreadReplyEmail } from "#app/support/email/unread-reply-email.ts";
import { emailUnreadReplies } from "#app/support/email/unread-reply-mailer.server.ts";
import { DEFAULT_SETTINGS, type SupportSettings } from "#app/support/team/business-hours.ts";
import { saveSettings } from "#app/support/team/support-settings.server.ts";
import {
  newVisitor,
  ORIGIN,
  openConnection,
  roomOf,
  signedIn,
  startChat,
  until,
} from "#tests/workerd/support-visitor.ts";

const db = connect(env.DB);
const supportDb = connectSupport(env.DB_SUPPORT);
const ADMIN = { userId: "admin-1", name: "Al" };
const LATER_MS = 4 * 60_000;
const CLOSED: SupportSettings = {
  ...DEFAULT_SETTINGS,
  hoursOn: true,
  days: Array.from({ length: 7 }, () => null),
  awayMessage: "Back tomorrow",
};

type Email = Parameters<Parameters<typeof emailUnreadReplies>[2]>[0];

test("outside the hours a visitor gets the away message once a day, and none while one of the team is there", async () => {
  await saveSettings(db, CLOSED, ADMIN);
  const ada = await newVisitor();
  const connection = await openConnection(ada.sessionId, ada.cookie);
  connection.sendMessage("a", "Anybody?");
  expect((await connection.next("message")).message).toMatchObject({ sender_type: "system", message: "Back tomorrow" });
  connection.sendMessage("b", "Hello?");
  await connection.next("ack");
  await until(async () => (await stored(ada.sessionId)) === 4);
  expect((await roomOf(ada.sessionId).read(0))?.messages.map(({ message }) => message).slice(1)).toEqual([
    "Anybody?",
    "Back tomorrow",
    "Hello?",
  ]);

  const bob = await newVisitor("Bob");
  const agent = await signedIn("agent", "Bo");
  const desk = await openConnection(bob.sessionId, agent.cookie);
  const visitor = await openConnection(bob.sessionId, bob.cookie);
  visitor.sendMessage("a", "Anybody?");
  await desk.next("message");
  await until(async () => (await stored(bob.sessionId)) === 2);
  expect((await roomOf(bob.sessionId).read(0))?.lastSeq).toBe(2);
});

test("a visitor is told when the team is back, and an admin alone sets it", async () => {
  const opensNever = await SELF.fetch(`${ORIGIN}/support/team`);
  expect(await opensNever.json()).toEqual({ online: false, backAt: null });
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).getUTCDay();
  const days = CLOSED.days.map((_, at) => (at === (tomorrow + 6) % 7 ? { from: 540, to: 600 } : null));
  await saveSettings(db, { ...CLOSED, days }, ADMIN);
  const { backAt } = await (await SELF.fetch(`${ORIGIN}/support/team`)).json<{ backAt: number }>();
  expect(new Date(backAt).toISOString()).toMatch(/T09:00:00\.000Z$/);
  expect(backAt).toBeGreaterThan(Date.now());
  const agent = await signedIn("agent", "Bo");
  const save = await SELF.fetch(`${ORIGIN}/admin/settings`, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: "growline.example", Cookie: agent.cookie },
    body: new URLSearchParams({ timeZone: "UTC" }),
  });
  expect(save.status).toBe(404);
});

test("a visitor with an email who has left is mailed the unread answers, once for each run of them", async () => {
  await saveSettings(db, DEFAULT_SETTINGS, ADMIN);
  const { sessionId, cookie } = await visitorWithEmail("ada@test.example");
  const visitor = await openConnection(sessionId, cookie);
  visitor.sendMessage("a", "Where is it?");
  await visitor.next("ack");
  await answer(sessionId, "1", "It is <b>here</b>.");
  // Still there: nothing is mailed.
  expect(await mails(Date.now() + LATER_MS)).toEqual([]);
  visitor.close();
  await until(async () => !(await isHere(sessionId)));
  // Not yet.
  expect(await mails(Date.now())).toEqual([]);
  const [mail, ...others] = await mails(Date.now() + 2 * LATER_MS);
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ to: "ada@test.example", text: expect.stringContaining("It is <b>here</b>.") });
  expect(mail?.text).toContain(`${ORIGIN}/#support-chat`);
  expect(mail?.html).toContain("It is &lt;b&gt;here&lt;/b&gt;.");
  // The same run: no second mail.
  await answer(sessionId, "2", "Are you there?");
  expect(await mails(Date.now() + 2 * LATER_MS)).toEqual([]);
  // Read, left, and answered again.
  const again = await openConnection(sessionId, cookie);
  again.raw('{"type":"read","seq":4}');
  again.close();
  await until(async () => !(await isHere(sessionId)));
  await answer(sessionId, "3", "One more thing");
  const [second] = await mails(Date.now() + LATER_MS);
  expect(second?.text).toContain("One more thing");
  expect(second?.text).not.toContain("Are you there?");
});

test("a mail that could not be sent is tried again when its lease is over, and a visitor without an email gets none", async () => {
  const { sessionId } = await visitorWithEmail("bob@test.example");
  await answer(sessionId, "1", "Hello");
  const nobody = await newVisitor();
  await answer(nobody.sessionId, "1", "Hello");
  let tries = 0;
  const failing = async () => {
    tries += 1;
    throw new Error("the mail service is away");
  };
  await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, failing, Date.now() + LATER_MS);
  await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, failing, Date.now() + LATER_MS);
  expect(tries).toBe(1);
  const [row] = await supportDb.select().from(supportSessions).where(eq(supportSessions.sessionId, sessionId));
  expect(row).toMatchObject({ emailedSeq: 0, replySeq: 2, userReadSeq: 0 });
});

test("visitors who sit in front of an open page, and addresses that take no mail, keep nobody else waiting", async () => {
  const sitters = await Promise.all(
    Array.from({ length: 30 }, async (_, at) => {
      const sitter = await visitorWithEmail(`sitter${at}@test.example`);
      const connection = await openConnection(sitter.sessionId, sitter.cookie);
      await answer(sitter.sessionId, "1", "Are you there?");
      return connection;
    }),
  );
  const refused = await Promise.all(
    Array.from({ length: 30 }, (_, at) => visitorWithEmail(`refused${at}@test.example`)),
  );
  for (const { sessionId } of refused) await answer(sessionId, "1", "Hello");
  const gone = await visitorWithEmail("gone@test.example");
  await answer(gone.sessionId, "1", "Here is what you asked for");
  const mailed: string[] = [];
  const send = async (mail: Email) => {
    if (mail.to.startsWith("refused")) throw new Error("no such mailbox");
    mailed.push(mail.to);
  };
  const start = Date.now() + LATER_MS;
  const minutes = async (from: number, to: number) => {
    for (let at = from; at < to; at++) await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, send, start + at * 60_000);
  };
  await minutes(0, 1);
  expect(mailed).toEqual([]);
  // 60 stand before it in the queue, and each minute takes 25.
  await minutes(1, 3);
  expect(mailed).toEqual(["gone@test.example"]);
  // One of those who sat there leaves, and gets the mail when the turn comes again.
  sitters[0]?.close();
  await sitters[0]?.closed();
  await minutes(3, 10);
  expect(mailed).toEqual(["gone@test.example", "sitter0@test.example"]);
  for (const connection of sitters.slice(1)) connection.close();
});

test("the mail's link goes to the conversation: in that browser, or after signing in to the account", async () => {
  const of = (signedIn: boolean) =>
    unreadReplyEmail({ email: "a@test.example", name: "Ada", origin: ORIGIN, unread: [], upTo: 1, signedIn }).text;
  expect(of(false)).toContain(`in the browser that you wrote from:\n${ORIGIN}/#support-chat\n`);
  expect(of(true)).toContain(`conversation:\n${ORIGIN}/auth/login?redirectTo=%2Fdashboard%23support-chat\n`);
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
  return { sessionId: session.session_id, cookie: response.headers.get("Set-Cookie")?.split(";")[0] ?? "" };
}

async function answer(sessionId: string, clientId: string, body: string): Promise<void> {
  await roomOf(sessionId).sendMessage({ side: "admin", author: "agent-1", name: "Bo" }, { clientId, body });
  await roomOf(sessionId).applyAction(
    { id: "agent-1", name: "Bo" },
    { action: "tag", tag: `answered ${clientId}`, isOn: true },
  );
}

async function mails(now: number): Promise<Email[]> {
  const sent: Email[] = [];
  await emailUnreadReplies(supportDb, env.SUPPORT_ROOM, async (mail) => void sent.push(mail), now);
  return sent;
}

async function isHere(sessionId: string): Promise<boolean> {
  return roomOf(sessionId).isVisitorHere();
}

async function stored(sessionId: string): Promise<number> {
  const count = await env.DB_SUPPORT.prepare("select count(*) as n from support_messages where session_id = ?")
    .bind(sessionId)
    .first<number>("n");
  return count ?? 0;
}
