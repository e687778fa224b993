import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

const MINUTE_MS = 60_000;

test.each([
  ["no alarm", null, true],
  ["an alarm that is about to run", -MINUTE_MS / 2, false],
  ["a later alarm", MINUTE_MS, true],
  // https://github.com/cloudflare/cloudflare-docs/issues/18324
  ["an alarm of two minutes ago, which the platform has lost", -2 * MINUTE_MS, true],
])("a wake-up sets an alarm if there is %s: %s", async (_, offset, sets) => {
  const name = crypto.randomUUID();
  await runInDurableObject(env.WEBHOOK_DISPATCHER.getByName(name), async (dispatcher, { storage }) => {
    vi.spyOn(storage, "getAlarm").mockResolvedValue(offset === null ? null : Date.now() + offset);
    const set = vi.spyOn(storage, "setAlarm").mockResolvedValue();
    await dispatcher.wake(name);
    expect(set).toHaveBeenCalledTimes(sets ? 1 : 0);
    vi.restoreAllMocks();
  });
});
