import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { providers } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { readProvider } from "#tests/workerd/place-orders.ts";
import { linkAt, linkTo } from "#tests/workerd/provider-links.ts";
import { providerReplies, sandboxProvider } from "#tests/workerd/sandbox-service.ts";
import type { LinkMemory } from "./provider-link.server.ts";
import type { ProviderResponse } from "./reading/response.ts";

const NOW = Date.now();
const NO_WAIT = {};

beforeEach(() => {
  vi.spyOn(Date, "now").mockReturnValue(NOW);
  vi.spyOn(console, "error").mockImplementation(() => {});
});

afterEach(() => void vi.restoreAllMocks());

test("takes no calls after five failures in a row until the breaker closes, and stores that for the next link", async () => {
  const providerId = await sandboxProvider();
  const link = await linkAt(providerId);
  for (let n = 0; n < 4; n++) await link.noteResponse(NO_WAIT, true);
  expect([link.takesCalls(), link.takesOrders()]).toEqual([true, true]);
  await link.noteResponse(NO_WAIT, true);
  expect([link.takesCalls(), link.takesOrders()]).toEqual([false, false]);
  expect(await readProvider(providerId)).toMatchObject({ failures: 5, openUntil: NOW + 15_000 });
  expect((await linkAt(providerId)).takesCalls()).toBe(false);
  vi.mocked(Date.now).mockReturnValue(NOW + 15_000);
  expect(link.takesCalls()).toBe(true);
});

test("is up again once a provider answers a call that costs nothing", async () => {
  const providerId = await sandboxProvider();
  await db.update(providers).set({ failures: 5 }).where(eq(providers.id, providerId));
  const link = await linkAt(providerId);
  let page = true;
  const calls = providerReplies(() => (page ? new Response("<html>", { status: 502 }) : Response.json({ balance: 1 })));
  expect(await link.isUp()).toBe(false);
  expect(await readProvider(providerId)).toMatchObject({ failures: 6, openUntil: NOW + 30_000 });
  vi.mocked(Date.now).mockReturnValue(NOW + 30_000);
  page = false;
  expect(await link.isUp()).toBe(true);
  expect(await readProvider(providerId)).toMatchObject({ failures: 0 });
  const made = calls().length;
  expect(await link.isUp()).toBe(true);
  expect(calls()).toHaveLength(made);
});

test("stores nothing about an account that staff have changed since", async () => {
  const providerId = await sandboxProvider();
  const link = await linkAt(providerId);
  await db.update(providers).set({ encryptedKey: "another" }).where(eq(providers.id, providerId));
  const before = await readProvider(providerId);
  await link.noteResponse(NO_WAIT, true);
  await link.learn({ status: "one" });
  await link.pauseOrders("funds");
  expect(await readProvider(providerId)).toEqual(before);
  // In this round, it is about the old one.
  expect([link.dialect, link.takesOrders()]).toEqual([{ status: "one" }, false]);
});

test("counts calls and statements in the memory of its dispatcher, whose pace it keeps", async () => {
  const provider = await readProvider(await sandboxProvider());
  const memory: LinkMemory = { pace: null, tally: { calls: 0, errors: 0 }, statements: { sent: 849 } };
  const link = linkTo(provider, db, memory);
  await link.noteResponse(NO_WAIT, true);
  await link.noteResponse(NO_WAIT, false);
  expect(memory.tally).toEqual({ calls: 2, errors: 1 });
  expect([link.mayGoOn(), link.takesCalls()]).toEqual([true, true]);
  memory.statements.sent = 850;
  expect([link.mayGoOn(), link.takesCalls(), link.takesOrders()]).toEqual([false, false, false]);
  expect(linkTo(provider, db, memory).pace).toBe(link.pace);
});

test("makes no call with a URL that is not allowed or a key that can't be read", async () => {
  const provider = await readProvider(await sandboxProvider());
  const calls = providerReplies(() => Response.json({}));
  for (const change of [{ apiUrl: "file:///etc/hosts" }, { encryptedKey: "not sealed" }]) {
    await expect(linkTo({ ...provider, ...change }).call({ action: "balance" })).rejects.toThrow();
  }
  expect(calls()).toEqual([]);
});

test("learns from a refusal by which parameter the provider takes an order, and uses it from then on", async () => {
  const providerId = await sandboxProvider();
  const link = await linkAt(providerId);
  const calls = providerReplies(({ order }) =>
    order === undefined ? Response.json({ error: "The order field is required." }) : Response.json({ cancel: 1 }),
  );
  const read = (response: ProviderResponse) => ({ kind: response.raw.includes("error") ? "rejected" : "accepted" });
  expect(await link.callAbout("cancel", "7", read)).toMatchObject({ said: null });
  expect(await link.callAbout("cancel", "7", read)).toMatchObject({ said: { kind: "accepted" } });
  expect(calls()).toEqual([
    { action: "cancel", orders: "7" },
    { action: "cancel", order: "7" },
  ]);
  expect(await readProvider(providerId)).toMatchObject({ dialect: { cancel: "one" } });
});
