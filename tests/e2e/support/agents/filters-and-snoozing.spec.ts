import { HOUR_MS } from "#app/time.ts";
import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { meet, row, say } from "#tests/e2e/support/chat-steps.ts";

test("saves, renames and deletes a filter whose list is kept up to date, and snoozes a conversation until it comes back", {
  tag: "@nightly",
}, async ({ browser, page, copy }) => {
  test.setTimeout(120_000);
  const { agent, name } = await meet({ browser, copy, page }, "Fay");
  await say(page, "Where is my refund?");
  const tag = `refund${Date.now()}`;
  await agent.getByRole("button", { name: "Saved filters" }).click();
  const sheet = agent.getByRole("dialog");
  await sheet.getByLabel("Name").fill("Refunds");
  await sheet.getByLabel("Tag").fill(tag);
  await auditThemes(agent, "the saved filters");
  await sheet.getByRole("button", { name: "Save filter" }).click();
  await agent.waitForURL(/filter=\d+/);
  const filters = agent.getByRole("list", { name: "Saved filters" });
  await expect(filters.getByRole("link", { name: "Refunds" })).toHaveAttribute("aria-current", "page");
  await expect(row(agent, name)).toHaveCount(0);
  // Without a reload, as the conversation gets the tag and loses it.
  await agent.getByLabel("New tag").fill(tag);
  await agent.getByLabel("New tag").press("Enter");
  await expect(row(agent, name)).toBeVisible();
  await agent.getByRole("button", { name: `Remove tag ${tag}` }).click();
  await expect(row(agent, name)).toHaveCount(0);

  await agent.getByRole("button", { name: "Saved filters" }).click();
  await sheet.getByRole("button", { name: "Rename Refunds" }).click();
  await sheet.getByLabel("New name of Refunds").fill("Money back");
  await sheet.getByLabel("New name of Refunds").press("Enter");
  await expect(sheet.getByRole("list", { name: "Your filters" })).toContainText("Money back");
  allowConsole(agent, /409/);
  await sheet.getByLabel("Name", { exact: true }).fill("money BACK");
  await sheet.getByRole("button", { name: "Save filter" }).click();
  await expect(sheet.getByRole("alert")).toHaveText("Another of your filters has this name.");
  await sheet.getByRole("button", { name: "Delete Money back" }).click();
  await expect(sheet.getByRole("list", { name: "Your filters" })).toHaveCount(0);
  await agent.keyboard.press("Escape");
  await expect(filters).toHaveCount(0);
  await expect(row(agent, name)).toBeVisible();

  await test.step("snoozes until the visitor writes, or its time has come", async () => {
    await agent.getByRole("log").focus();
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
  });
  await agent.context().close();
});
