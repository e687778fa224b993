import { expect, test } from "#tests/e2e/fixtures.ts";
import { meet, row, say } from "./chat-steps.ts";

const HOUR_MS = 3_600_000;

test("snoozes a conversation by keyboard, and brings it back when the visitor writes or its time has come", async ({
  browser,
  page,
  copy,
}) => {
  test.setTimeout(120_000);
  const { agent, name } = await meet({ browser, copy, page }, "Sue");
  await say(page, "A question");
  await expect(agent.getByLabel("Snooze")).toBeVisible();
  await expect(agent.getByRole("log")).toBeFocused();
  await agent.keyboard.press("s");
  await expect(agent.getByLabel("Snooze")).toBeFocused();
  await agent.getByLabel("Snooze").selectOption({ label: "Until the visitor writes" });
  // It went on to the next one, or to the empty list.
  await expect(agent.getByRole("heading", { name, level: 1 })).toHaveCount(0);
  await expect(row(agent, name)).toHaveCount(0);

  await agent.keyboard.press("5");
  await agent.waitForURL(/view=snoozed/);
  await row(agent, name).click();
  await expect(agent.getByText("Hidden until the visitor writes.")).toBeVisible();
  await say(page, "Are you there?");
  await expect(row(agent, name)).toHaveCount(0);
  await expect(agent.getByText("Not snoozed")).toBeAttached();

  await agent.getByRole("link", { name: /^Open/ }).click();
  await expect(row(agent, name)).toContainText("Are you there?");
  const loadedAt = await agent.evaluate(() => performance.timeOrigin);
  const id = new URL(agent.url()).pathname.split("/").at(-1);
  const snooze = (forMs: number) =>
    agent.evaluate(
      async ([sessionId, ms]) => {
        const { status } = await fetch(`/admin/support/${sessionId}/actions`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ action: "snooze", until: Date.now() + ms }),
        });
        return status;
      },
      [id, forMs] as const,
    );
  expect(await snooze(HOUR_MS)).toBe(204);
  await expect(row(agent, name)).toHaveCount(0);
  expect(await snooze(2000)).toBe(204);
  await expect(row(agent, name)).toBeVisible();
  expect(await agent.evaluate(() => performance.timeOrigin)).toBe(loadedAt);
  await agent.context().close();
});
