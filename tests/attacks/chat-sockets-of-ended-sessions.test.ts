import { evictDurableObject, runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { STAFF_IDLE_MS } from "#app/accounts/session/auth-sessions.server.ts";
import { giveRole } from "#app/accounts/staff/operator-role.server.ts";
import { connect } from "#app/db/db.server.ts";
import { authSessions, profiles } from "#app/db/schema.server.ts";
import { CLOSE } from "#app/support/protocol/close-codes.ts";
import { DESK_NAME } from "#app/support/protocol/desk-name.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { PASSWORD } from "#tests/workerd/new-account.ts";
import { type SignedInAccount, sessionCookie, signedIn } from "#tests/workerd/signed-in-account.ts";
import {
  newVisitor,
  ORIGIN,
  openConnection,
  roomOf,
  startChat,
  until,
  upgrade,
  type Visitor,
} from "#tests/workerd/support-visitor.ts";
import { EVERY_MINUTE } from "#workers/cron-triggers.ts";
import { runScheduledJobs } from "#workers/scheduled-jobs.ts";

const db = connect(env.DB);
const SIGNED_OUT = { code: CLOSE.signedOut, reason: "signed out" };

/** The ways to end an agent's session, and whether `other`, a second session of the same agent, ends with it. */
const WAYS: Record<string, { endsOther: boolean; end: (agent: SignedInAccount, other: string) => Promise<unknown> }> = {
  "logging out": { endsOther: false, end: ({ cookie }) => post("/logout", cookie, {}) },
  "logging out over the token API": {
    endsOther: false,
    end: ({ cookie }) => post("/auth/v1/logout?scope=local", cookie, {}),
  },
  "logging out everywhere": { endsOther: true, end: ({ cookie }) => post("/auth/v1/logout", cookie, {}) },
  "being logged out by another device": {
    endsOther: false,
    end: ({ sessionId }, other) => post("/dashboard/account", other, { intent: "end-session", id: sessionId }),
  },
  "a password change on another device": {
    endsOther: false,
    end: (_, other) =>
      post("/dashboard/account", other, { intent: "password", current: PASSWORD, next: "another good password" }),
  },
  "deleting the account": {
    endsOther: true,
    end: ({ cookie }) => post("/account/delete", cookie, { password: PASSWORD }),
  },
  "a demotion by command": {
    endsOther: true,
    async end({ email }) {
      await giveRole(db, email, "customer");
      await runScheduledJobs(EVERY_MINUTE, env);
    },
  },
  "a day without using the session": {
    endsOther: false,
    async end({ sessionId }) {
      // Its last use is as long ago as the limit for staff.
      const past = { lastUsedAt: Date.now() - STAFF_IDLE_MS, socketsDueAt: Date.now() };
      await db.update(authSessions).set(past).where(eq(authSessions.id, sessionId));
      await runScheduledJobs(EVERY_MINUTE, env);
    },
  },
};

for (const [way, { endsOther, end }] of Object.entries(WAYS)) {
  test(`closes an agent's chat sockets after ${way}`, async () => {
    const ada = await newVisitor();
    const agent = await signedIn("agent", "Bo");
    const otherCookie = await sessionCookie(agent.userId);
    const [room, other] = [
      await openConnection(ada.sessionId, agent.cookie),
      await openConnection(ada.sessionId, otherCookie),
    ];
    const [desk, otherDesk] = [await openDesk(agent.cookie), await openDesk(otherCookie)];
    await untilRegistered(agent.userId);

    await end(agent, otherCookie);

    expect(await room.closed()).toEqual(SIGNED_OUT);
    expect(await until(desk.closed)).toEqual(SIGNED_OUT);
    if (endsOther) {
      expect(await other.closed()).toEqual(SIGNED_OUT);
      expect(await until(otherDesk.closed)).toEqual(SIGNED_OUT);
    } else {
      other.sendMessage("other", "Still here");
      await other.next("ack");
      expect(otherDesk.closed()).toBeNull();
    }
    expect((await upgrade("/admin/inbox/socket", agent.cookie)).status).toBe(404);
    const overHttp = await SELF.fetch(`${ORIGIN}/support/sessions/${ada.sessionId}/messages`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: ORIGIN, Cookie: agent.cookie },
      body: JSON.stringify({ clientId: "http", body: "I was signed out" }),
    });
    expect(overHttp.status).toBe(404);
  });
}

test("changes nothing for a frame that arrives on a closed socket", async () => {
  const { ada, agent } = await agentInRoom();
  const before = await lastSeq(ada);
  await runInDurableObject(roomOf(ada.sessionId), async (room, state) => {
    const sockets = state.getWebSockets("admin");
    await room.closeSessions(agent.userId, [agent.sessionId]);
    for (const socket of sockets) {
      await room.webSocketMessage(socket, JSON.stringify({ type: "send", clientId: "late", body: "too late" }));
      await room.webSocketMessage(socket, JSON.stringify({ type: "read", seq: 1 }));
    }
  });
  expect(await lastSeq(ada)).toBe(before);
});

test("closes the sockets of a room and a desk that were evicted", async () => {
  const { ada, agent, room } = await agentInRoom();
  const desk = await openDesk(agent.cookie);
  await evictDurableObject(roomOf(ada.sessionId));
  await evictDurableObject(env.SUPPORT_DESK.getByName(DESK_NAME));
  await post("/logout", agent.cookie, {});
  expect(await room.closed()).toEqual(SIGNED_OUT);
  expect(await until(desk.closed)).toEqual(SIGNED_OUT);
});

test("refuses a frame of a session that ended unnoticed, once the last check is old", async () => {
  const { ada, agent, room } = await agentInRoom();
  // Not through the worker, which would close the socket.
  await db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.id, agent.sessionId));
  await forgetChecks(ada);
  const before = await lastSeq(ada);
  room.sendMessage("late", "I was signed out");
  expect(await room.closed()).toEqual(SIGNED_OUT);
  expect(await lastSeq(ada)).toBe(before);
});

test("refuses a frame of an agent whose role changed unnoticed, once the last check is old", async () => {
  const { ada, agent, room } = await agentInRoom();
  await db.update(profiles).set({ role: "customer" }).where(eq(profiles.userId, agent.userId));
  await forgetChecks(ada);
  const before = await lastSeq(ada);
  room.sendMessage("late", "I was demoted");
  expect(await room.closed()).toEqual(SIGNED_OUT);
  expect(await lastSeq(ada)).toBe(before);
});

test("closes a socket whose session ended while it was opened", async () => {
  const { ada, agent } = await agentInRoom();
  const headers = await runInDurableObject(roomOf(ada.sessionId), (_, state) => {
    const [socket] = state.getWebSockets("admin");
    const { connectedAt, ...identity } = socket?.deserializeAttachment() ?? {};
    return { Upgrade: "websocket", "X-Support-Identity": encodeURIComponent(JSON.stringify(identity)) };
  });
  await post("/logout", agent.cookie, {});
  const { webSocket } = await roomOf(ada.sessionId).fetch("https://room/?since=0", { headers });
  const closed = new Promise((resolve) => {
    webSocket?.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
  });
  webSocket?.accept();
  expect(await closed).toEqual(SIGNED_OUT);
});

test("closes a customer's own conversation at log-out, and leaves an anonymous one", async () => {
  const customer = await signedIn("customer", "Cy");
  const ada = await newVisitor();
  await startChat({ name: "Cy" }, customer.cookie);
  const own = await openConnection(userSessionId(customer.userId), customer.cookie);
  const anonymous = await openConnection(ada.sessionId, ada.cookie);
  await untilRegistered(customer.userId);
  await post("/logout", customer.cookie, {});
  expect(await own.closed()).toEqual(SIGNED_OUT);
  anonymous.sendMessage("a", "hello");
  await anonymous.next("ack");
});

async function agentInRoom() {
  const ada = await newVisitor();
  const agent = await signedIn("agent", "Bo");
  const room = await openConnection(ada.sessionId, agent.cookie);
  await untilRegistered(agent.userId);
  return { ada, agent, room };
}

/** Waits until the worker knows that each running session of the user has sockets. */
async function untilRegistered(userId: string): Promise<void> {
  await until(async () => {
    const rows = await db.select().from(authSessions).where(eq(authSessions.userId, userId));
    return rows.some(({ socketsDueAt }) => socketsDueAt !== null);
  });
}

/** Ages the last check of every socket, as a wait would. */
async function forgetChecks({ sessionId }: Visitor): Promise<void> {
  await evictDurableObject(roomOf(sessionId));
  await runInDurableObject(roomOf(sessionId), (_, state) => {
    for (const socket of state.getWebSockets()) {
      socket.serializeAttachment({ ...socket.deserializeAttachment(), connectedAt: 0 });
    }
  });
}

async function lastSeq({ sessionId }: Visitor): Promise<number | undefined> {
  return (await roomOf(sessionId).read(0))?.lastSeq;
}

async function openDesk(cookie: string) {
  const { webSocket } = await upgrade("/admin/inbox/socket", cookie);
  if (!webSocket) throw new Error("no socket");
  let closed: { code: number; reason: string } | null = null;
  webSocket.addEventListener("close", ({ code, reason }) => {
    closed = { code, reason };
  });
  webSocket.accept();
  return { closed: () => closed };
}

function post(path: string, cookie: string, fields: Record<string, string>): Promise<Response> {
  return SELF.fetch(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
}
