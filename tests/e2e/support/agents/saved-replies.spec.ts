import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { expect, otherPage, test } from "#tests/e2e/fixtures.ts";
import { bubbles, meet, row, say } from "#tests/e2e/support/chat-steps.ts";

test("sends a saved reply with everything it does, by keyboard, after showing what that is", async ({
  browser,
  page,
  copy,
}) => {
  test.setTimeout(120_000);
  const settings = await otherPage(browser, copy, "admin", "/admin/replies");
  const shortcut = `done${Date.now()}`;
  await settings.getByLabel("Shortcut", { exact: true }).fill(shortcut);
  await settings.getByLabel("Reply", { exact: true }).fill("Hi {name}, the refund is on its way.");
  await settings.getByLabel("Adds tags").fill("refund");
  await settings.getByLabel("Assigns the conversation to").selectOption({ label: "Demo Admin" });
  await settings.getByLabel("Adds a team note").fill("Refunded {name}.");
  await settings.getByLabel("Then").selectOption({ label: "Close conversation" });
  await settings.getByRole("button", { name: "Add reply" }).click();
  const saved = settings
    .getByRole("main")
    .getByRole("row")
    .filter({ hasText: `/${shortcut}` });
  await expect(saved).toContainText("Tag refund · Assign to Demo Admin · Note “Refunded {name}.” · Close conversation");
  await settings.context().close();

  const { agent, name } = await meet({ browser, copy, page }, "Rae");
  const heading = agent.getByRole("heading", { name, level: 1 });
  await say(page, "Where is my money?");
  await expect(agent.getByRole("log")).toContainText("Where is my money?");
  await agent.keyboard.press("r");
  const field = agent.getByLabel("Your message");
  await field.pressSequentially(`/${shortcut.slice(0, 8)}`);
  await expect(agent.getByRole("option", { name: new RegExp(`/${shortcut}`) })).toContainText("Tag refund");
  await field.press("Enter");
  await expect(field).toHaveValue("Hi Rae, the refund is on its way.");
  const effects = "Tag refund · Assign to Demo Admin · Note “Refunded Rae.” · Close conversation";
  await expect(field).toHaveAccessibleDescription(new RegExp(effects));
  await auditThemes(agent, "a saved reply with effects");

  // Nothing has happened yet, and it can still be a reply only.
  await expect(agent.getByLabel("Assigned to")).toHaveValue("");
  await agent.getByRole("button", { name: "Send the reply only" }).click();
  await expect(agent.getByText("Sending also does this:")).toHaveCount(0);
  await field.fill("");
  await field.pressSequentially(`/${shortcut}`);
  await field.press("Tab");
  await expect(field).toHaveAccessibleDescription(new RegExp(effects));
  await field.press("Enter");
  await expect(bubbles(page).last()).toHaveText("Hi Rae, the refund is on its way.");
  await expect(page.getByText("This conversation is closed.")).toBeVisible();
  await expect(page.getByText("Refunded Rae.")).toHaveCount(0);
  // It went on to the next one, as after closing.
  await expect(heading).toHaveCount(0);
  await expect(row(agent, name)).toHaveCount(0);
  await agent.goBack();
  await expect(heading).toBeVisible();
  await expect(agent.getByText("Refunded Rae.")).toBeVisible();
  await expect(agent.getByLabel("Assigned to").locator("option:checked")).toHaveText("Demo Admin");
  await expect(agent.getByRole("list", { name: "Tags" })).toContainText("refund");
  await expect(field).toHaveValue("");
  await agent.context().close();
});
