import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { connectSupport } from "#app/db/db.server.ts";
import { supportSessions } from "#app/db/schema/support-tables.server.ts";
import { parseInboxHint } from "#app/support/inbox/inbox-change.ts";
import type { SupportSession } from "#app/support/protocol/frames.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import {
  newVisitor,
  ORIGIN,
  openConnection,
  roomOf,
  startChat,
  until,
  upgrade,
} from "#tests/workerd/support-visitor.ts";

test("requires a name to start a chat", async () => {
  const response = await startChat({ name: "   " });
  expect(response.status).toBe(422);
  expect(await response.json()).toEqual({ error: "Please enter your name" });
});

test("gives an anonymous conversation an unguessable id and an HttpOnly cookie", async () => {
  const response = await startChat({ name: "Ada", email: "ada@example.com" });
  const { session } = await response.json<{ session: SupportSession }>();
  expect(session.session_id).toMatch(/^anon_\d{13}_[0-9a-f]{32}$/);
  expect(session).toMatchObject({ user_name: "Ada", user_email: "ada@example.com", status: "open" });
  expect(response.headers.get("Set-Cookie")).toMatch(/; HttpOnly; Secure; SameSite=Lax$/);
});

test("keeps the conversation and its email when the chat is started again, and welcomes once", async () => {
  const response = await startChat({ name: "Ada", email: "ada@example.com" });
  const cookie = response.headers.get("Set-Cookie") ?? "";
  const { session } = await response.json<{ session: SupportSession }>();
  const again = await (await startChat({ name: "Ada L." }, cookie)).json<{ session: SupportSession }>();
  expect(again.session).toMatchObject({
    session_id: session.session_id,
    user_name: "Ada L.",
    user_email: "ada@example.com",
  });
  const history = await roomOf(session.session_id).read(0);
  expect(history?.messages).toMatchObject([
    {
      sender_type: "system",
      sender_name: "Support Bot",
      message: "Hi Ada! Welcome to our support chat. How can we help you today?",
    },
  ]);
});

test("creates one session and one welcome message for two simultaneous starts", async () => {
  const { userId, cookie } = await signedIn("customer", "Cy");
  const started = await Promise.all([startChat({ name: "Cy" }, cookie), startChat({ name: "Cy" }, cookie)]);
  const ids = await Promise.all(started.map(async (one) => (await one.json<{ session: SupportSession }>()).session));
  expect(ids.map((session) => session.session_id)).toEqual([userSessionId(userId), userSessionId(userId)]);
  expect((await roomOf(userSessionId(userId)).read(0))?.messages).toHaveLength(1);
});

test("responds 404 for someone else's room, by socket and over HTTP", async () => {
  const ada = await newVisitor();
  const bob = await newVisitor("Bob");
  const customer = await signedIn("customer", "Cy");
  for (const cookie of ["", bob.cookie, customer.cookie]) {
    const path = `/support/sessions/${ada.sessionId}`;
    expect((await upgrade(`${path}/socket`, cookie)).status).toBe(404);
    expect((await SELF.fetch(`${ORIGIN}${path}/messages`, { headers: { Cookie: cookie } })).status).toBe(404);
    const said = await say(ada.sessionId, cookie);
    expect(said.status).toBe(404);
  }
  expect((await roomOf(ada.sessionId).read(0))?.messages).toHaveLength(1);
});

test("takes an address from the visitor of the conversation alone, and shows it to the agents", async () => {
  const ada = await newVisitor();
  const bob = await newVisitor("Bob");
  const agent = await signedIn("agent", "Bo Agent");
  const customer = await signedIn("customer", "Cy");
  const desk = await openConnection(ada.sessionId, agent.cookie);
  const give = (sessionId: string, cookie: string, email: unknown) =>
    SELF.fetch(`${ORIGIN}/support/sessions/${sessionId}/email`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
      body: JSON.stringify({ email }),
    });
  for (const cookie of ["", bob.cookie, customer.cookie]) {
    expect((await give(ada.sessionId, cookie, "eve@evil.example")).status).toBe(404);
  }
  expect((await give(ada.sessionId, agent.cookie, "bo@growline.example")).status).toBe(409);
  for (const wrong of ["", "  ", "nowhere", "a b@c", `${"a".repeat(250)}@b.example`, null, 7]) {
    expect((await give(ada.sessionId, ada.cookie, wrong)).status, String(wrong)).toBe(422);
  }
  expect((await roomOf(ada.sessionId).session())?.user_email).toBeNull();
  expect((await give(ada.sessionId, ada.cookie, " ada@example.com ")).status).toBe(204);
  expect((await desk.next("session")).session.user_email).toBe("ada@example.com");
  await until(async () => (await storedEmail(ada.sessionId)) === "ada@example.com");

  // The account's address is its owner's to change, in the settings.
  await startChat({ name: "Cy" }, customer.cookie);
  expect((await give(userSessionId(customer.userId), customer.cookie, "other@example.com")).status).toBe(409);
  await roomOf(bob.sessionId).applyAction({ id: "agent-1", name: "Bo" }, { action: "block", blocked: true });
  expect((await give(bob.sessionId, bob.cookie, "bob@example.com")).status).toBe(403);
  for (let n = 0; n < 4; n++) expect((await give(ada.sessionId, ada.cookie, `ada${n}@example.com`)).status).toBe(204);
  const refused = await give(ada.sessionId, ada.cookie, "ada9@example.com");
  expect([refused.status, Number(refused.headers.get("Retry-After")) > 0]).toEqual([429, true]);
  expect((await roomOf(ada.sessionId).session())?.user_email).toBe("ada3@example.com");
});

test("rejects a cookie that was tampered with", async () => {
  const ada = await newVisitor();
  const bob = await newVisitor("Bob");
  const forged = `${ada.cookie.split(".")[0]}.${bob.cookie.split(".")[1]}`;
  expect((await upgrade(`/support/sessions/${ada.sessionId}/socket`, forged)).status).toBe(404);
});

test("refuses a socket opened by a page of another origin", async () => {
  const ada = await newVisitor();
  const path = `/support/sessions/${ada.sessionId}/socket`;
  expect((await upgrade(path, ada.cookie, "https://evil.example")).status).toBe(403);
  expect((await upgrade(path, ada.cookie, null)).status).toBe(403);
});

test("does not pass on a header that claims an identity", async () => {
  const ada = await newVisitor();
  const forged = encodeURIComponent(JSON.stringify({ side: "admin", author: "x", name: "Fake agent" }));
  const response = await SELF.fetch(`${ORIGIN}/support/sessions/${ada.sessionId}/socket`, {
    headers: { Upgrade: "websocket", Origin: ORIGIN, Cookie: ada.cookie, "X-Support-Identity": forged },
  });
  response.webSocket?.accept();
  response.webSocket?.send(JSON.stringify({ type: "send", clientId: "a", body: "who am I" }));
  const history = await untilSaid(ada.sessionId);
  expect(history.at(-1)).toMatchObject({ sender_type: "user", sender_name: "Ada" });
});

test("connects an agent and a visitor in one room, live", async () => {
  const ada = await newVisitor();
  const agent = await signedIn("agent", "Bo Agent");
  const visitor = await openConnection(ada.sessionId, ada.cookie);
  const desk = await openConnection(ada.sessionId, agent.cookie);
  await until(() => visitor.frames.some((frame) => frame.type === "presence" && frame.agents === 1));
  desk.sendMessage("a", "How can I help?");
  expect((await visitor.next("message")).message).toMatchObject({ sender_type: "admin", sender_name: "Bo Agent" });
  visitor.raw('{"type":"typing"}');
  expect(await desk.next("typing")).toMatchObject({ side: "user", name: "Ada" });
  visitor.raw('{"type":"read","seq":2}');
  expect(await desk.next("read")).toEqual({ type: "read", side: "user", seq: 2 });
  visitor.close();
  await until(() => desk.frames.some((frame) => frame.type === "presence" && !frame.user));
});

test("returns the same ack for a repeated client id over HTTP", async () => {
  const ada = await newVisitor();
  const [first, second] = [await say(ada.sessionId, ada.cookie), await say(ada.sessionId, ada.cookie)];
  const ack = await first.json();
  expect(ack).toMatchObject({ clientId: "http", seq: 2 });
  expect(await second.json()).toEqual(ack);
});

test("marks messages as read over HTTP as a frame does", async () => {
  const ada = await newVisitor();
  const agent = await signedIn("agent", "Bo");
  const desk = await openConnection(ada.sessionId, agent.cookie);
  const read = (seq: unknown, cookie: string) =>
    SELF.fetch(`${ORIGIN}/support/sessions/${ada.sessionId}/read`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
      body: JSON.stringify({ seq }),
    });
  expect((await read(1, ada.cookie)).status).toBe(204);
  expect(await desk.next("read")).toEqual({ type: "read", side: "user", seq: 1 });
  expect((await read("1", ada.cookie)).status).toBe(422);
  expect((await read(1, "")).status).toBe(404);
});

test("counts a read mark up to the last message, and never moves it back", async () => {
  const ada = await newVisitor();
  const agent = await signedIn("agent", "Bo");
  const desk = await openConnection(ada.sessionId, agent.cookie);
  const visitor = await openConnection(ada.sessionId, ada.cookie);
  const readTo = async () => (await roomOf(ada.sessionId).read(0))?.readSeq.user;
  desk.sendMessage("a", "Here it is");
  await desk.next("ack");
  // Further than the conversation: a reply that comes later would count as read, and not be emailed.
  visitor.raw('{"type":"read","seq":99}');
  expect(await desk.next("read")).toEqual({ type: "read", side: "user", seq: 2 });
  desk.sendMessage("b", "And the rest");
  await desk.next("ack");
  expect(await readTo()).toBe(2);
  visitor.raw('{"type":"read","seq":1}');
  visitor.raw('{"type":"read","seq":3}');
  expect(await desk.next("read")).toEqual({ type: "read", side: "user", seq: 3 });
  expect(await readTo()).toBe(3);
});

test("limits new anonymous chats per address and hour, and does not count existing ones", async () => {
  const start = (cookie = "") =>
    SELF.fetch(`${ORIGIN}/support/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "CF-Connecting-IP": "203.0.113.9", Cookie: cookie },
      body: JSON.stringify({ name: "Ada" }),
    });
  const ada = await newVisitor();
  for (let time = 0; time < 5; time++) expect((await start(ada.cookie)).status).toBe(200);
  const statuses: number[] = [];
  for (let time = 0; time < 31; time++) statuses.push((await start()).status);
  expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
  const refused = await start();
  expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(3000);
  expect(await refused.json()).toEqual({ error: expect.stringContaining("Please try again") });
});

test("tells every console what a conversation is once its message is in D1, and refuses customers a console", async () => {
  const customer = await signedIn("customer", "Cy");
  expect((await upgrade("/admin/inbox/socket", customer.cookie)).status).toBe(404);
  const hinted = new Map<string, ReturnType<typeof parseInboxHint>[]>();
  for (const name of ["Bo", "Cy", "Di"]) {
    const agent = await signedIn("agent", name);
    const { webSocket } = await upgrade("/admin/inbox/socket", agent.cookie);
    hinted.set(name, []);
    webSocket?.addEventListener("message", (event) => {
      hinted.get(name)?.push(parseInboxHint(String(event.data)));
    });
    webSocket?.accept();
  }
  const ada = await newVisitor();
  const hintsOf = (name: string) => hinted.get(name)?.filter((hint) => hint?.session_id === ada.sessionId) ?? [];
  await until(() => [...hinted.keys()].every((name) => hintsOf(name).length > 0));
  const { change } = hintsOf("Bo")[0] ?? {};
  expect(change?.row).toMatchObject({ sessionId: ada.sessionId, status: "open", assigneeId: null });
  const unassigned = change?.totals.find(({ status, assigneeId }) => status === "open" && assigneeId === "");
  expect(unassigned?.conversations).toBeGreaterThan(0);
  expect([hintsOf("Cy")[0], hintsOf("Di")[0]]).toEqual([hintsOf("Bo")[0], hintsOf("Bo")[0]]);
  const stored = await env.DB_SUPPORT.prepare("SELECT count(*) AS n FROM support_messages WHERE session_id = ?")
    .bind(ada.sessionId)
    .first("n");
  expect(stored).toBe(1);
});

function say(sessionId: string, cookie: string): Promise<Response> {
  return SELF.fetch(`${ORIGIN}/support/sessions/${sessionId}/messages`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: cookie },
    body: JSON.stringify({ clientId: "http", body: "hello" }),
  });
}

async function untilSaid(sessionId: string) {
  for (;;) {
    const messages = (await roomOf(sessionId).read(0))?.messages ?? [];
    if (messages.length > 1) return messages;
  }
}

async function storedEmail(sessionId: string): Promise<string | null> {
  const [row] = await connectSupport(env.DB_SUPPORT)
    .select({ email: supportSessions.userEmail })
    .from(supportSessions)
    .where(eq(supportSessions.sessionId, sessionId));
  return row?.email ?? null;
}
