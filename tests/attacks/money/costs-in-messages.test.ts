import { SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { desc } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import { requestReset } from "#app/accounts/recovery/password-reset.server.ts";
import { connectSupport } from "#app/db/db.server.ts";
import { emails, webhookDeliveries } from "#app/db/schema.server.ts";
import { openContent, queueUnreadReplies } from "#app/email/queue-email.server.ts";
import { queueWeeklyReport } from "#app/orders/reports/weekly-report.server.ts";
import { listSettings, saveSetting } from "#app/settings/settings-store.server.ts";
import { emailUnreadReplies } from "#app/support/email/unread-reply-mailer.server.ts";
import { userSessionId } from "#app/support/protocol/session-id.ts";
import { WEEK_MS } from "#app/time.ts";
import { accountOf, deliveriesTo, notifiedBrowser, receivedBy, sendPushes } from "#tests/stand-ins/push-devices.ts";
import { SAME_SITE, SITE } from "#tests/workerd/all-routes.ts";
import { db } from "#tests/workerd/customer.ts";
import { withoutDispatcher } from "#tests/workerd/email-api.ts";
import { newVisit } from "#tests/workerd/new-visit.ts";
import { type SignedInAccount, signedIn } from "#tests/workerd/signed-in-account.ts";
import { roomOf, startChat, takeAction, until, upgrade } from "#tests/workerd/support-visitor.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { COST, costedOrders, leaksIn, ORDERS } from "./cost-canary.ts";

/** Costs in what the product sends on its own: emails, notifications, webhooks and the frames of chats. */

const REPORT_TO = "owner@shop.example";
const quiet = withoutDispatcher(env);

let customer: SignedInAccount;
let agent: SignedInAccount;
let orders: number[];
let browser: Awaited<ReturnType<typeof notifiedBrowser>>;

beforeAll(async () => {
  [customer, agent] = [await signedIn(), await signedIn("agent", "Bo")];
  browser = await notifiedBrowser(accountOf(customer));
  ({ orders } = await costedOrders(customer.userId));
});

test("tells a customer in no notification what an order costs", async () => {
  const deliveries = await deliveriesTo(userSessionId(customer.userId));
  expect(deliveries.map(({ event }) => event)).toEqual(
    expect.arrayContaining([`order:${orders[0]}`, `order:${orders[1]}`]),
  );
  expect(leaksIn(JSON.stringify(deliveries))).toEqual([]);
  const received = await vi.waitUntil(
    async () => {
      await sendPushes();
      const messages = await receivedBy(browser);
      return messages.length > 0 && messages;
    },
    { timeout: 90_000, interval: 50 },
  );
  expect(received.map(({ message }) => JSON.stringify(message)).join()).toContain(`Order ${orders[0]} completed`);
  expect(leaksIn(JSON.stringify(received))).toEqual([]);
});

test("tells neither side of a chat in a frame what an order costs, nor its transcript and emails", async () => {
  const sessionId = userSessionId(customer.userId);
  expect((await startChat({ name: "Ada", email: customer.email }, customer.cookie)).status).toBe(200);
  const path = `/support/sessions/${sessionId}/socket?since=0`;
  const visitor = await frames(path, customer.cookie);
  const desk = await frames(path, agent.cookie);
  visitor.send({ type: "page", path: `/dashboard/orders/${orders[0]}`, title: `Order ${orders[0]}` });
  visitor.send({ type: "send", clientId: "a", body: `What of order ${orders[0]}?` });
  await until(() => desk.all.some((text) => text.includes("What of order")));
  visitor.close();
  desk.send({ type: "send", clientId: "b", body: `Order ${orders[0]} is done` });
  await until(() => desk.all.some((text) => text.includes('"clientId":"b"')));

  const queue: Parameters<typeof emailUnreadReplies>[2] = (email, of) => queueUnreadReplies(db, quiet, email, of);
  // Not before the room has stored the reply.
  await until(async () => !(await roomOf(sessionId).isVisitorHere()));
  let later = Date.now();
  await until(async () => {
    later += 4 * 60_000;
    await emailUnreadReplies(connectSupport(env.DB_SUPPORT), env.SUPPORT_ROOM, queue, later);
    return (await opened()).some(({ kind }) => kind === "unread_replies");
  });
  const closed = { action: "status", status: "closed" } as const;
  expect(await takeAction(sessionId, agent.cookie, closed)).toBeLessThan(400);
  const asked = await SELF.fetch(`${SITE}/support/sessions/${sessionId}/transcript`, {
    method: "POST",
    headers: { ...SAME_SITE, "Content-Type": "application/json", Cookie: customer.cookie },
    body: "{}",
  });
  expect(asked.status).toBe(204);
  expect(visitor.all.length).toBeGreaterThan(1);
  expect([...visitor.all, ...desk.all].flatMap(leaksIn)).toEqual([]);
  desk.close();
});

test("emails what orders cost to the addresses of the weekly report alone", async () => {
  await requestReset(loadContext({ env: quiet }), newVisit(), customer.email);
  const [setting] = (await listSettings(db, env)).filter(({ name }) => name === "report_emails");
  const change = { name: "report_emails", value: [REPORT_TO], version: setting?.version ?? 0 } as const;
  expect(await saveSetting(db, env, { userId: agent.userId, name: "Bo" }, change)).toMatchObject({ ok: true });
  await queueWeeklyReport(db, env, Date.now() + WEEK_MS);
  const all = await opened();
  const report = all.filter(({ kind }) => kind === "report");
  expect(report.map(({ recipient }) => recipient)).toEqual([REPORT_TO]);
  // The search finds costs where they are.
  expect(JSON.stringify(report)).toContain(`$${((ORDERS * COST) / 1_000_000).toFixed(2)}`);
  const toOthers = all.filter(({ recipient }) => recipient !== REPORT_TO);
  const kinds = new Set(toOthers.map(({ kind }) => kind));
  for (const kind of ["unread_replies", "transcript", "password_reset"]) expect([...kinds]).toContain(kind);
  for (const email of toOthers) {
    expect(leaksIn(JSON.stringify(email.content)), email.kind).toEqual([]);
    expect(JSON.stringify(email.content), email.kind).not.toMatch(/\b(costs?|margins?)\b/i);
  }
});

test("tells in no webhook and in no export of an account what an order costs", async () => {
  const deliveries = await db.select().from(webhookDeliveries).orderBy(desc(webhookDeliveries.id));
  expect(deliveries.length).toBeGreaterThanOrEqual(2);
  expect(deliveries.flatMap(({ body }) => leaksIn(body))).toEqual([]);
  const live = `/dashboard/orders/live?ids=${orders.join(",")}`;
  for (const path of ["/dashboard/account/export", "/dashboard/orders.csv", live]) {
    const response = await SELF.fetch(SITE + path, { headers: { ...SAME_SITE, Cookie: customer.cookie } });
    expect(response.status, path).toBe(200);
    const text = await response.text();
    for (const id of orders.slice(0, 2)) expect(text, path).toContain(String(id));
    expect(leaksIn(text), path).toEqual([]);
  }
});

/** Returns the emails that wait, with what they say. */
async function opened() {
  const rows = await db.select().from(emails);
  const waiting = rows.flatMap(({ id, kind, recipient, sealedContent }) =>
    sealedContent === null
      ? []
      : [openContent(env, id, sealedContent).then((content) => ({ kind, recipient, content }))],
  );
  return Promise.all(waiting);
}

/** Opens a socket and keeps the text of each frame as it came. */
async function frames(path: string, cookie: string) {
  const { webSocket: socket, status } = await upgrade(path, cookie);
  if (!socket) throw new Error(`no socket: ${status}`);
  const all: string[] = [];
  socket.addEventListener("message", ({ data }) => void all.push(String(data)));
  socket.accept();
  return { all, send: (frame: object) => socket.send(JSON.stringify(frame)), close: () => socket.close(1000, "done") };
}
