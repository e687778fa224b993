import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { meet, row, say } from "#tests/e2e/support/chat-steps.ts";

test("saves a filter under a name, keeps its list up to date, and renames and deletes it", async ({
  browser,
  page,
  copy,
}) => {
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
  await agent.context().close();
});
