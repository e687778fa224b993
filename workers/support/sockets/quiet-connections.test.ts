import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, expect, test, vi } from "vitest";
import { signedIn } from "#tests/workerd/signed-in-account.ts";
import {
  type Connection,
  newVisitor,
  openConnection,
  roomOf,
  until,
  type Visitor,
} from "#tests/workerd/support-visitor.ts";

/** Without a ping for so long, a connection is dead. */
const QUIET_AFTER_MS = 35_000;

afterEach(() => void vi.restoreAllMocks());

test("tells the others within 40 s that a visitor's or an agent's connection has died", async () => {
  const { visitor, agent, room } = await meet();
  const alarmAt = await alarmOf(room);
  expect(alarmAt).toBeGreaterThan(Date.now());
  expect(alarmAt).toBeLessThanOrEqual(Date.now() + QUIET_AFTER_MS);
  await until(() => visitor.frames.some((frame) => frame.type === "presence" && frame.agents === 1));
  visitor.frames.length = 0;
  agent.frames.length = 0;
  later(QUIET_AFTER_MS + 1);
  await runDurableObjectAlarm(room);
  // Neither has pinged.
  expect(await visitor.next("presence")).toEqual({ type: "presence", user: false, agents: 0 });
  expect(await agent.next("presence")).toEqual({ type: "presence", user: false, agents: 0 });
  // They are told once.
  later(QUIET_AFTER_MS + 1);
  await runDurableObjectAlarm(room);
  visitor.raw("ping");
  await until(() => visitor.pongs() > 0);
  expect(visitor.frames.filter(({ type }) => type === "presence")).toEqual([]);
});

test("tells the others when a connection that had gone quiet pings again, also after an eviction", async () => {
  const { visitor, agent, room } = await meet();
  const clock = later(QUIET_AFTER_MS + 1);
  await runDurableObjectAlarm(room);
  await until(() => agent.frames.some((frame) => frame.type === "presence" && !frame.user));
  clock.mockRestore();
  await evictDurableObject(room);
  visitor.raw("ping");
  await until(() => visitor.pongs() > 0);
  agent.frames.length = 0;
  await runDurableObjectAlarm(room);
  expect(await agent.next("presence")).toMatchObject({ user: true });
});

test("rings no alarm for a visitor who is alone", async () => {
  const person = await newVisitor();
  const visitor = await openConnection(person.sessionId, person.cookie);
  await visitor.next("ready");
  const room = roomOf(person.sessionId);
  while ((await alarmOf(room)) !== null) await runDurableObjectAlarm(room);
  const second = await openConnection(person.sessionId, person.cookie);
  await second.next("ready");
  expect(await alarmOf(room)).toBeNull();
});

async function meet(): Promise<Visitor & { visitor: Connection; agent: Connection; room: ReturnType<typeof roomOf> }> {
  const person = await newVisitor();
  const bo = await signedIn("agent", "Bo");
  const visitor = await openConnection(person.sessionId, person.cookie);
  const agent = await openConnection(person.sessionId, bo.cookie);
  await agent.next("ready");
  const room = roomOf(person.sessionId);
  // What the start left to store.
  await runDurableObjectAlarm(room);
  return { ...person, visitor, agent, room };
}

function alarmOf(room: ReturnType<typeof roomOf>): Promise<number | null> {
  return runInDurableObject(room, (_, { storage }) => storage.getAlarm());
}

function later(ms: number) {
  const now = Date.now();
  return vi.spyOn(Date, "now").mockReturnValue(now + ms);
}
