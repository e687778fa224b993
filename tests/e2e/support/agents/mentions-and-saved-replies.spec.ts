import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { expect, otherPage, test } from "#tests/e2e/fixtures.ts";
import { bubbles, isLive, meet, row, say } from "#tests/e2e/support/chat-steps.ts";

test("brings in a teammate by a mention in a note, and sends a saved reply with everything it does, both by keyboard", {
  tag: "@nightly",
}, async ({ browser, page, copy }) => {
  test.setTimeout(120_000);
  const admin = await otherPage(browser, copy, "admin", "/admin/replies");
  const shortcut = `done${Date.now()}`;
  await admin.getByLabel("Shortcut", { exact: true }).fill(shortcut);
  await admin.getByLabel("Reply", { exact: true }).fill("Hi {name}, {agent} here. The refund is on its way.");
  await admin.getByLabel("Tags it adds").fill("refund");
  await admin.getByLabel("Person it assigns").selectOption({ label: "Demo Admin" });
  await admin.getByLabel("Team note it adds").fill("Refunded {name}.");
  await admin.getByLabel("What follows").selectOption({ label: "Close conversation" });
  await admin.getByRole("button", { name: "Add reply" }).click();
  const saved = admin
    .getByRole("main")
    .getByRole("row")
    .filter({ hasText: `/${shortcut}` });
  await expect(saved).toContainText("Tag refund · Assign to Demo Admin · Note “Refunded {name}.” · Close conversation");
  await admin.getByRole("navigation", { name: "Console" }).getByRole("link", { name: "Conversations" }).click();
  await isLive(admin);
  const { agent, name } = await meet({ browser, copy, page }, "Rae");

  await test.step("brings in a teammate by a mention, and shows it as read once opened", async () => {
    await say(page, "Can I pay by invoice?");
    await expect(agent.getByRole("log")).toContainText("by invoice?");
    await agent.keyboard.press("n");
    const field = agent.getByLabel("Your note");
    await field.pressSequentially("Please look @adm");
    await expect(agent.getByRole("listbox", { name: "Teammates" }).getByRole("option")).toHaveText(["Demo Admin"]);
    await expect(field).toHaveAttribute("aria-activedescendant", /.+/);
    await auditThemes(agent, "a mention");
    // Escape closes the list only.
    await field.press("Escape");
    await expect(agent.getByRole("listbox")).toHaveCount(0);
    await expect(field).toBeFocused();
    // Shift+Tab leaves the field, and the line below stays.
    await field.fill("\nThanks");
    await field.press("ControlOrMeta+Home");
    await field.pressSequentially("@adm");
    await field.press("Shift+Tab");
    await expect(field).toHaveValue("@adm\nThanks");
    await expect(field).not.toBeFocused();
    await field.focus();
    await field.press("Enter");
    await expect(field).toHaveValue("@Demo Admin \nThanks");
    await field.fill("");
    await field.pressSequentially("Please look @adm");
    await field.press("Enter");
    await expect(field).toHaveValue("Please look @Demo Admin ");
    await field.pressSequentially("today");
    await field.press("Enter");
    await expect(agent.locator("[data-note] strong")).toHaveText("@Demo Admin");

    await admin.getByRole("button", { name: "Mentions (1 unread)" }).click();
    const mention = admin.getByRole("dialog").getByRole("link", { name: new RegExp(`about ${name}`) });
    await expect(mention).toContainText("Unread");
    await expect(mention).toContainText("Please look @Demo Admin today");
    await auditThemes(admin, "the mentions");
    await mention.click();
    await expect(admin.getByRole("heading", { name, level: 1 })).toBeVisible();
    await expect(admin.getByRole("dialog")).toHaveCount(0);
    await expect(admin.locator("[data-note] strong")).toHaveText("@Demo Admin");
    await expect(admin.getByRole("button", { name: "Mentions", exact: true })).toBeVisible();
    await admin.getByRole("log").focus();
    await admin.keyboard.press("m");
    await expect(admin.getByRole("dialog").getByRole("link", { name: new RegExp(`about ${name}`) })).not.toContainText(
      "Unread",
    );
    await expect(page.getByText("Please look")).toHaveCount(0);
  });

  await test.step("sends a saved reply after showing what it does", async () => {
    const heading = agent.getByRole("heading", { name, level: 1 });
    await say(page, "Where is my money?");
    await expect(agent.getByRole("log")).toContainText("Where is my money?");
    await agent.getByRole("log").focus();
    await agent.keyboard.press("r");
    const field = agent.getByLabel("Your message");
    await field.pressSequentially(`/${shortcut.slice(0, 8)}`);
    await expect(agent.getByRole("option", { name: new RegExp(`/${shortcut}`) })).toContainText("Tag refund");
    await field.press("Enter");
    await expect(field).toHaveValue("Hi Rae, Demo Agent here. The refund is on its way.");
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
    await expect(bubbles(page).last()).toHaveText("Hi Rae, Demo Agent here. The refund is on its way.");
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
  });
  for (const one of [agent, admin]) await one.context().close();
});
