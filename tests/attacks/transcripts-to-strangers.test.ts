import { SELF } from "cloudflare:test";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { emails } from "#app/db/schema.server.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { cookiesOf } from "#tests/response-cookies.ts";
import { db } from "#tests/workerd/customer.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
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
