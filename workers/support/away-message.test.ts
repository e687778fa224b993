import { runDurableObjectAlarm, SELF } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { connect } from "#app/db/db.server.ts";
import { readVersionedSettings, saveSettings } from "#app/support/team/support-settings.server.ts";
import { DEFAULT_SETTINGS, type SupportSettings } from "#app/support/team/team-settings.ts";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import { newVisitor, ORIGIN, openConnection, roomOf, until, upgrade } from "#tests/workerd/support-visitor.ts";

const db = connect(env.DB);
const ADMIN = { userId: "admin-1", name: "Al" };
const CLOSED: SupportSettings = {
  ...DEFAULT_SETTINGS,
  hoursOn: true,
  days: Array.from({ length: 7 }, () => null),
  awayMessage: "Back tomorrow",
};

test("sends the away message once a day outside business hours, and not while an agent is connected", async () => {
  await saveSettings(db, CLOSED, ADMIN, (await readVersionedSettings(db)).version);
  const ada = await newVisitor();
  const connection = await openConnection(ada.sessionId, ada.cookie);
  connection.sendMessage("a", "Anybody?");
  expect((await connection.next("message")).message).toMatchObject({ sender_type: "system", message: "Back tomorrow" });
  connection.sendMessage("b", "Hello?");
  await connection.next("ack");
  await runDurableObjectAlarm(roomOf(ada.sessionId));
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
  await runDurableObjectAlarm(roomOf(bob.sessionId));
  await until(async () => (await stored(bob.sessionId)) === 2);
  expect((await roomOf(bob.sessionId).read(0))?.lastSeq).toBe(2);
});

test("reports the team as online while a console is open", async () => {
  const online = async () => (await (await SELF.fetch(`${ORIGIN}/support/team`)).json<{ online: boolean }>()).online;
  const agent = await signedIn("agent", "Bo");
  const { webSocket } = await upgrade("/admin/inbox/socket", agent.cookie);
  webSocket?.accept();
  expect(await online()).toBe(true);
  webSocket?.close(1000, "done");
  let isOnline = true;
  for (let tries = 0; isOnline && tries < 50; tries++) isOnline = await online();
  expect(isOnline).toBe(false);
});

test("tells visitors when the team is back, and lets only admins set the hours", async () => {
  const closed = await SELF.fetch(`${ORIGIN}/support/team`);
  expect(await closed.json()).toEqual({ online: false, backAt: null });
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000).getUTCDay();
  const days = CLOSED.days.map((_, at) => (at === (tomorrow + 6) % 7 ? { from: 540, to: 600 } : null));
  await saveSettings(db, { ...CLOSED, days }, ADMIN, (await readVersionedSettings(db)).version);
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

async function stored(sessionId: string): Promise<number> {
  const count = await env.DB_SUPPORT.prepare("select count(*) as n from support_messages where session_id = ?")
    .bind(sessionId)
    .first<number>("n");
  return count ?? 0;
}
