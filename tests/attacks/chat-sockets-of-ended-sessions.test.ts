import { evictDurableObject, runInDurableObject, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { and, eq, isNotNull } from "drizzle-orm";
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
import type { SupportDesk } from "#workers/support/support-desk.ts";
import type { SupportRoom } from "#workers/support/support-room.ts";

const db = connect(env.DB);
const theDesk = () => env.SUPPORT_DESK.getByName(DESK_NAME);
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
  "a suspension in the console": { endsOther: true, end: ({ userId }) => changeAccess(userId, { change: "suspend" }) },
  "a demotion in the console": {
    endsOther: true,
    end: ({ userId }) => changeAccess(userId, { change: "role", role: "customer" }),
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
  await evictDurableObject(theDesk());
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

test("closes an agent's socket that only listens, once the last check is old and a visitor writes", async () => {
  const { ada, agent, room } = await agentInRoom();
  await db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.id, agent.sessionId));
  await forgetChecks(ada);
  const visitor = await openConnection(ada.sessionId, ada.cookie);
  visitor.sendMessage("a", "My order number is 12");
  expect(await room.closed()).toEqual(SIGNED_OUT);
});

test("sends no hint to a console whose session ended unnoticed, once the last check is old", async () => {
  const [agent, other] = [await signedIn("agent", "Bo"), await signedIn("agent", "Cy")];
  const [desk, otherDesk] = [await openDesk(agent.cookie), await openDesk(other.cookie)];
  await untilRegistered(agent.userId);
  await db.update(authSessions).set({ revokedAt: Date.now() }).where(eq(authSessions.id, agent.sessionId));
  await ageChecks(theDesk);
  await theDesk().hint("anon_1");
  expect(await until(desk.closed)).toEqual(SIGNED_OUT);
  await until(() => otherDesk.hints().includes("anon_1"));
  expect(otherDesk.closed()).toBeNull();
  // Hints of earlier tests' conversations may have come before the session ended.
  expect(desk.hints()).not.toContain("anon_1");
});

for (const where of ["a room", "the desk"]) {
  test(`closes a socket that is opened at ${where} in the middle of the end of its session`, async () => {
    const { ada, agent } = await agentInRoom();
    const object = where === "the desk" ? theDesk() : roomOf(ada.sessionId);
    const headers = await runInDurableObject(roomOf(ada.sessionId), (_, state) => {
      const [socket] = state.getWebSockets("admin");
      const { connectedAt, ...identity } = socket?.deserializeAttachment() ?? {};
      return { Upgrade: "websocket", "X-Support-Identity": encodeURIComponent(JSON.stringify(identity)) };
    });
    // The sockets are closed, and the session has none that it knows of, when the new one arrives.
    await post("/logout", agent.cookie, {});
    await until(async () => (await db.$count(authSessions, isEndedWithSockets(agent.sessionId))) === 0);
    const { webSocket } = await object.fetch("https://room/?since=0", { headers });
    const closed = new Promise((resolve) => {
      webSocket?.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
    });
    webSocket?.accept();
    expect(await closed).toEqual(SIGNED_OUT);
  });
}

test("keeps closing the sockets of an agent who opens a room while another of their sessions ends", async () => {
  const user = crypto.randomUUID();
  const rooms = await runInDurableObject(theDesk(), async (desk, { storage }) => {
    const { env: real } = desk as unknown as { env: Env };
    // The room has no agent, and gets one before the desk has read that.
    const arriving = {
      closeSessions: async () => {
        desk.setAgentRoom(user, "anon_1", true);
        return false;
      },
    };
    desk.setAgentRoom(user, "anon_1", true);
    Object.assign(desk, { env: { ...real, SUPPORT_ROOM: { getByName: () => arriving } } });
    await desk.closeSessions(user, ["ended"]);
    Object.assign(desk, { env: real });
    return storage.sql.exec("SELECT room FROM agent_rooms WHERE user_id = ?", user).toArray();
  });
  expect(rooms).toEqual([{ room: "anon_1" }]);
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

/** Changes the agent's access as an admin does in the console. */
async function changeAccess(userId: string, change: Record<string, string>): Promise<void> {
  const { cookie } = await signedIn("admin");
  const fields = { intent: "access", reason: "Left the team", once: crypto.randomUUID(), ...change };
  expect((await post(`/admin/customers/${userId}`, cookie, fields)).status).toBe(302);
}

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

function isEndedWithSockets(sessionId: string) {
  return and(eq(authSessions.id, sessionId), isNotNull(authSessions.socketsDueAt));
}

function forgetChecks({ sessionId }: Visitor): Promise<void> {
  return ageChecks(() => roomOf(sessionId));
}

/** Ages the last check of every socket, as a wait would. */
async function ageChecks(object: () => DurableObjectStub<SupportDesk> | DurableObjectStub<SupportRoom>): Promise<void> {
  await evictDurableObject(object());
  await runInDurableObject(object(), (_, state) => {
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
  const hints: string[] = [];
  webSocket.addEventListener("message", ({ data }) => hints.push(JSON.parse(String(data)).session_id));
  webSocket.accept();
  return { closed: () => closed, hints: () => hints };
}

function post(path: string, cookie: string, fields: Record<string, string>): Promise<Response> {
  return SELF.fetch(`${ORIGIN}${path}`, {
    method: "POST",
    headers: { Origin: ORIGIN, Host: "growline.example", Cookie: cookie },
    body: new URLSearchParams(fields),
    redirect: "manual",
  });
}
