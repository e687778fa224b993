import { evictDurableObject, runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { emails, profiles, users } from "#app/db/schema.server.ts";
import { queueUnreadReplies } from "#app/email/queue-email.server.ts";
import { emailUnreadReplies } from "#app/support/email/unread-reply-mailer.server.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, roomOf, startChat } from "#tests/workerd/support-visitor.ts";

test("emails a visitor's transcript to the address from the start of the chat, and to no other", async () => {
  const email = `${crypto.randomUUID()}@visitor.example`;
  const ada = await closedChat({ name: "Ada", email });
  const stranger = `${crypto.randomUUID()}@stranger.example`;
  expect(await transcript(ada, { email: stranger })).toBe(422);
  expect(await transcript(ada, {})).toBe(204);
  expect(await recipients(email, stranger)).toEqual([email]);
  const nameless = await newVisitor();
  await roomOf(nameless.sessionId).setStatus("closed");
  expect(await transcript(nameless, {})).toBe(409);
});

test("limits how often one person gets transcripts, whoever sends them", async () => {
  const email = `${crypto.randomUUID()}@visitor.example`;
  const statuses: number[] = [];
  for (let at = 0; at < 5; at++) statuses.push(await transcript(await closedChat({ name: "Eve", email }), {}));
  expect(statuses).toEqual([204, 204, 204, 429, 429]);
  const network = `198.51.100.${Math.floor(Math.random() * 256)}`;
  const sent: number[] = [];
  for (let at = 0; at < 12; at++) {
    const chat = await closedChat({ name: "Eve", email: `${crypto.randomUUID()}@visitor.example` });
    sent.push(await transcript(chat, {}, network));
  }
  expect(sent.filter((status) => status === 204)).toHaveLength(10);
});

test("knows a signed-in person by the account's address, whatever they type or typed before", async () => {
  const [cy, victim] = [await signedIn("customer", "Cy"), "victim@stranger.example"];
  const started = await startChat({ name: "Cy", email: victim }, cy.cookie);
  const { session } = await started.json<{ session: SupportSession }>();
  expect(session.user_email).toBe(cy.email);
  await roomOf(session.session_id).setStatus("closed");
  expect(await transcript({ sessionId: session.session_id, cookie: cy.cookie }, {})).toBe(204);
  expect(await recipients(cy.email, victim)).toEqual([cy.email]);

  const anonymous = await startChat({ name: "Dee", email: victim });
  const dee = await signedIn("customer", "Dee");
  const own = await SELF.fetch(`${ORIGIN}/support/session`, {
    headers: { Cookie: `${cookiesOf(anonymous)}; ${dee.cookie}` },
  });
  const adopted = await own.json<{ session: SupportSession }>();
  expect(adopted.session).toMatchObject({ user_name: "Dee", user_email: dee.email });
});

test("emails a transcript to the account's confirmed address, not to the one it had when the chat was started", async () => {
  const cy = await signedIn("customer", "Cy");
  const { session } = await (await startChat({ name: "Cy" }, cy.cookie)).json<{ session: SupportSession }>();
  await roomOf(session.session_id).setStatus("closed");
  const email = await moveAccount(cy.userId);
  expect(await transcript({ sessionId: session.session_id, cookie: cy.cookie }, {})).toBe(204);
  expect(await recipients(cy.email, email)).toEqual([email]);
  const shown = await SELF.fetch(`${ORIGIN}/support/session`, { headers: { Cookie: cy.cookie } });
  expect((await shown.json<{ session: SupportSession }>()).session.user_email).toBe(email);
  expect((await roomOf(session.session_id).session())?.user_email).toBe(email);
});

test("emails unread replies to the account's confirmed address, and to no other", async () => {
  const later = Date.now() + 5 * 60_000;
  const run = (at: number) =>
    emailUnreadReplies(
      connectSupport(env.DB_SUPPORT),
      env.SUPPORT_ROOM,
      (email, of) => queueUnreadReplies(db, withoutDispatcher(env), email, of),
      at,
    );
  const moved = await repliedTo(await signedIn("customer", "Cy"));
  const unconfirmed = await repliedTo(await signedIn("customer", "Mallory", null));
  const movedTo = await moveAccount(moved.userId);
  const errors = vi.spyOn(console, "error");
  await run(later);
  expect(errors).not.toHaveBeenCalled();
  const repliesTo = (to: string) => db.$count(emails, and(eq(emails.kind, "unread_replies"), eq(emails.recipient, to)));
  expect(await Promise.all([movedTo, moved.email, unconfirmed.email].map(repliesTo))).toEqual([1, 0, 0]);

  // The reply waits for the owner to confirm the address.
  await db.update(users).set({ emailConfirmedAt: 1 }).where(eq(users.id, unconfirmed.userId));
  const room = roomOf(userSessionId(unconfirmed.userId));
  await runInDurableObject(room, (_, { storage }) => {
    storage.sql.exec("UPDATE triage SET email_leased_until = 0");
  });
  // The room keeps the lease in memory too.
  await evictDurableObject(room);
  await run(later + 5 * 60_000);
  expect(await repliesTo(unconfirmed.email)).toBe(1);
});

test("marks an address in the console unless the account has confirmed it", async () => {
  const agent = await signedIn("agent", "Bo");
  const shown = async (sessionId: string) => {
    const response = await SELF.fetch(`${ORIGIN}/admin/support/${sessionId}`, { headers: { Cookie: agent.cookie } });
    return (await response.text()).includes("Not confirmed");
  };
  const mallory = await repliedTo(await signedIn("customer", "Mallory", null));
  const cy = await repliedTo(await signedIn("customer", "Cy"));
  const stranger = await newVisitor("Eve", cy.email);
  expect(await Promise.all([userSessionId(mallory.userId), stranger.sessionId].map(shown))).toEqual([true, true]);
  expect(await shown(userSessionId(cy.userId))).toBe(false);
});

/** Starts the account's chat, and has an agent reply while nobody is there to read. */
async function repliedTo(account: SignedInAccount): Promise<SignedInAccount> {
  await (await startChat({ name: "Cy" }, account.cookie)).text();
  const room = roomOf(userSessionId(account.userId));
  await room.sendMessage({ side: "admin", author: "agent-1", name: "Bo" }, { clientId: "1", body: "Here it is" });
  await room.applyAction({ id: "agent-1", name: "Bo" }, { action: "tag", tag: "replied", isOn: true });
  return account;
}

/** Gives the account another confirmed address and returns it. */
async function moveAccount(userId: string): Promise<string> {
  const email = `${crypto.randomUUID()}@test.example`;
  await db.batch([
    db.update(users).set({ email }).where(eq(users.id, userId)),
    db.update(profiles).set({ email }).where(eq(profiles.userId, userId)),
  ]);
  return email;
}

async function closedChat(start: object): Promise<{ sessionId: string; cookie: string }> {
  const response = await startChat(start);
  const { session } = await response.json<{ session: SupportSession }>();
  await roomOf(session.session_id).setStatus("closed");
  return { sessionId: session.session_id, cookie: cookiesOf(response) };
}

async function transcript(chat: { sessionId: string; cookie: string }, body: object, network = ""): Promise<number> {
  const response = await SELF.fetch(`${ORIGIN}/support/sessions/${chat.sessionId}/transcript`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: chat.cookie, "CF-Connecting-IP": network },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

async function recipients(...among: string[]): Promise<string[]> {
  const rows = await db.select({ to: emails.recipient }).from(emails).where(eq(emails.kind, "transcript"));
  return rows.map(({ to }) => to).filter((to) => among.includes(to));
}
