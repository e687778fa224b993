import { auditThemes } from "#tests/e2e/axe-audit.ts";
import { expect, test } from "#tests/e2e/fixtures.ts";
import { meet, openConsole, say } from "#tests/e2e/support/chat-steps.ts";

test("brings in a teammate by a mention in a note, chosen by keyboard, and shows it as read once opened", async ({
  browser,
  page,
  copy,
}) => {
  test.setTimeout(120_000);
  const admin = await openConsole(browser, copy, "admin");
  const { agent, name } = await meet({ browser, copy, page }, "Mia");
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
  for (const one of [agent, admin]) await one.context().close();
});
