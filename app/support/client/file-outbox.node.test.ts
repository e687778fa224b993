import { beforeEach, expect, test, vi } from "vitest";
import { DAY_MS } from "#app/time.ts";
import { moveFiles, openFileOutbox } from "./file-outbox.ts";

/** IndexedDB, which Node doesn't have. */
const stored = vi.hoisted(() => new Map<string, unknown>());
vi.mock("idb-keyval", () => ({
  createStore: () => null,
  entries: async () => [...stored],
  get: async (key: string) => stored.get(key),
  set: async (key: string, value: unknown) => void stored.set(key, value),
  del: async (key: string) => void stored.delete(key),
  delMany: async (keys: string[]) => keys.forEach((key) => void stored.delete(key)),
}));

beforeEach(() => stored.clear());

function fileOf(clientId: string, state: "sending" | "failed" | "refused", createdAt = Date.now()) {
  return { clientId, body: `${clientId}.png`, createdAt, state, file: new File(["x"], `${clientId}.png`) };
}

async function states(sessionId: string): Promise<string[]> {
  const files = await openFileOutbox(sessionId).read();
  return files.map(({ clientId, body, state }) => `${clientId} ${body} ${state}`);
}

test("sends a file again after a reload, unless the room rejected it", async () => {
  const outbox = openFileOutbox("s1");
  for (const file of [fileOf("a", "sending"), fileOf("b", "failed"), fileOf("c", "refused")]) await outbox.add(file);
  expect(await states("s1")).toEqual(["a a.png sending", "b b.png sending", "c c.png refused"]);
});

test("keeps why a file was rejected", async () => {
  const outbox = openFileOutbox("s1");
  await outbox.add({ ...fileOf("a", "refused"), reason: "empty" });
  await outbox.add({ ...fileOf("b", "failed"), reason: "no_connection" });
  expect((await outbox.read()).map(({ state, reason }) => [state, reason])).toEqual([
    ["refused", "empty"],
    ["sending", undefined],
  ]);
});

test("returns no file of another session, and none that was removed", async () => {
  await openFileOutbox("s1").add(fileOf("a", "sending"));
  await openFileOutbox("s12").add(fileOf("b", "sending"));
  expect(await states("s1")).toEqual(["a a.png sending"]);
  expect(await openFileOutbox("s12").has("a")).toBe(false);
  await openFileOutbox("s1").remove("a");
  expect(await states("s1")).toEqual([]);
  expect(await states("s12")).toEqual(["b b.png sending"]);
});

test("keeps a file for 30 days, whichever session reads", async () => {
  await openFileOutbox("s1").add(fileOf("old", "failed", Date.now() - 31 * DAY_MS));
  await openFileOutbox("s1").add(fileOf("young", "failed", Date.now() - 29 * DAY_MS));
  await openFileOutbox("s2").read();
  expect([...stored.keys()]).toEqual(["s1:young"]);
});

test("moves files to another session once each", async () => {
  await openFileOutbox("s1").add(fileOf("a", "refused"));
  await moveFiles("s1", "s2");
  await moveFiles("s1", "s2");
  expect([await states("s1"), await states("s2")]).toEqual([[], ["a a.png refused"]]);
});
