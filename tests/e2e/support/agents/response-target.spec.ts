import { expect, otherPage, test } from "#tests/e2e/fixtures.ts";
import { newPage, openConsole, row, say, startChat } from "#tests/e2e/support/chat-steps.ts";

test("shows how much time is left for a reply, and gives new conversations to the agent who is there and takes them", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  test.setTimeout(120_000);
  const settings = await otherPage(browser, copy, "admin", "/admin/settings");
  const save = async (minutes: string, inTurn: boolean) => {
    await settings.getByLabel("First response target").fill(minutes);
    await settings.getByLabel("Assign new conversations in turn").setChecked(inTurn);
    // The toast of the time before may still be there.
    const saved = settings.waitForResponse((response) => response.request().method() === "POST");
    await settings.getByRole("button", { name: "Save settings" }).click();
    await saved;
    await expect(settings.getByText("Settings saved").last()).toBeVisible();
  };
  await save("30", true);
  const agent = await openConsole(browser, copy, "agent");
  const start = async (baseName: string) => {
    const page = await newPage(browser, copy);
    const name = `${baseName} ${Date.now()}`;
    await startChat(page, name);
    await say(page, "Can I pay by invoice?");
    return { page, name };
  };
  const ann = await start("Ann");
  await expect(row(agent, ann.name)).toContainText("Reply due in 30 min");
  await expect(row(agent, ann.name)).toContainText("Demo Agent");
  await row(agent, ann.name).click();
  await agent.keyboard.press("r");
  await agent.getByLabel("Your message").fill("Yes.");
  await agent.getByLabel("Your message").press("Enter");
  await expect(row(agent, ann.name)).toContainText("Yes.");
  await expect(row(agent, ann.name)).not.toContainText("Reply due");

  await agent.getByRole("button", { name: /^Notifications/ }).click();
  await agent.getByLabel("Take new conversations").uncheck();
  await agent.keyboard.press("Escape");
  await expect(agent.getByRole("dialog")).toHaveCount(0);
  await agent.getByRole("button", { name: /^Notifications/ }).click();
  await expect(agent.getByLabel("Take new conversations")).not.toBeChecked();
  await agent.reload();
  await agent.getByRole("button", { name: /^Notifications/ }).click();
  await expect(agent.getByLabel("Take new conversations")).not.toBeChecked();
  await agent.keyboard.press("Escape");
  await expect(agent.getByRole("dialog")).toHaveCount(0);
  const ben = await start("Ben");
  await expect(row(agent, ben.name)).toContainText("Reply due");
  await expect(row(agent, ben.name)).toContainText("Unassigned");
  await agent.getByRole("button", { name: /^Notifications/ }).click();
  await agent.getByLabel("Take new conversations").check();
  await save("", false);
  for (const page of [agent, settings, ann.page, ben.page]) await page.context().close();
});
