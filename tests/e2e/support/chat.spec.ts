import { allowConsole, expect, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { bubbles, CUT_OFF, controlConnection, meet, openChat, openConsole, row, say, startChat } from "./chat-steps.ts";

test("loses and duplicates no message when workerd is killed during a conversation", async ({
  browser,
  page: visitor,
  copy,
}) => {
  const agent = await openConsole(browser, copy, "agent");
  allowConsole(visitor, CUT_OFF);
  allowConsole(agent, CUT_OFF);
  const name = `Ada ${Date.now()}`;
  await startChat(visitor, name);
  await expect(visitor.getByText("Chat session started successfully!")).toBeVisible();
  const welcome = `Hi ${name}! Welcome to our support chat. How can we help you today?`;
  await expect(bubbles(visitor)).toHaveText([welcome]);

  await say(visitor, "Where is my order?");
  await row(agent, name).click();
  await expect(bubbles(agent)).toHaveText([welcome, "Where is my order?"]);
  await say(agent, "Let me look.");
  await expect(bubbles(visitor)).toHaveText([welcome, "Where is my order?", "Let me look."]);
  await expect(visitor.getByText("Demo Agent", { exact: true })).toBeVisible();

  copy.killWorkerd();
  await say(visitor, "Are you there?");
  await say(agent, "It is on its way.");
  await copy.untilReady();
  for (const page of [visitor, agent]) {
    await expect(bubbles(page).filter({ hasText: "Are you there?" })).toHaveCount(1);
    await expect(bubbles(page).filter({ hasText: "It is on its way." })).toHaveCount(1);
    await expect(bubbles(page)).toHaveCount(5);
    await expect(page.getByText("Sending…")).toHaveCount(0);
  }
  const shown = await bubbles(visitor).allTextContents();
  expect(await bubbles(agent).allTextContents()).toEqual(shown);

  await visitor.reload();
  await openChat(visitor);
  await expect(bubbles(visitor)).toHaveText(shown);
  await agent.context().close();
});

test("keeps a message written offline after a reload and sends it once", async ({ context, page }) => {
  allowConsole(page, CUT_OFF);
  const connection = await controlConnection(context);
  await startChat(page, "Ola");
  await connection.cut();
  await say(page, "Written offline");
  await expect(page.getByText("Sending…")).toBeVisible();
  connection.restore();
  await page.reload();
  await openChat(page);
  await expect(bubbles(page).filter({ hasText: "Written offline" })).toHaveCount(1);
  await expect(page.getByText("· Sent")).toBeVisible();
});

test("counts replies in the badge of a closed chat and in the title bar of a minimized one, until it is opened", async ({
  browser,
  page: visitor,
  copy,
}) => {
  const { agent } = await meet({ browser, copy, page: visitor }, "Uma");

  await visitor.getByRole("button", { name: "Minimize chat" }).click();
  await say(agent, "one");
  await say(agent, "two");
  await expect(visitor.getByText("2 new")).toBeVisible();

  await visitor.getByRole("button", { name: "Close chat" }).click();
  for (let at = 3; at <= 11; at++) await say(agent, `number ${at}`);
  const launcher = visitor.getByRole("button", { name: "Open support chat, 11 new" });
  await expect(launcher).toHaveText("9+");
  await expect(launcher).toBeFocused();

  await launcher.click();
  await expect(bubbles(visitor).last()).toHaveText("number 11");
  await expect(agent.getByText("· Seen")).toBeVisible();
  await visitor.keyboard.press("Escape");
  await expect(visitor.getByRole("button", { name: "Open support chat", exact: true })).toBeFocused();
  await agent.context().close();
});

test("starts one session with one welcome message when two tabs start a chat at the same time", async ({
  context,
  page,
}) => {
  const other = await context.newPage();
  for (const tab of [page, other]) {
    await tab.goto("/");
    await openChat(tab);
    await tab.getByLabel("Your name").fill("Tess");
  }
  const ids: unknown[] = [];
  context.on("response", async (response) => {
    if (response.request().method() !== "POST" || !response.url().endsWith("/support/session")) return;
    ids.push((await response.json()).session.session_id);
  });
  await Promise.all([page, other].map((tab) => tab.getByLabel("Your name").press("Enter")));
  for (const tab of [page, other]) await expect(bubbles(tab)).toHaveCount(1);
  await say(page, "from one tab");
  await expect(bubbles(other)).toHaveCount(2);
  expect(new Set(ids).size).toBe(1);
});

test("requires a name, sends on Enter, breaks the line on Shift+Enter and shows markup as text", async ({ page }) => {
  await page.goto("/");
  await openChat(page);
  await expect(page.getByText("Start a conversation with our support team")).toBeVisible();
  await page.getByLabel("Your name").fill("   ");
  await page.getByRole("button", { name: "Start Chat" }).click();
  await expect(page.getByText("Please enter your name")).toBeVisible();
  await page.getByLabel("Your name").fill("Eve");
  await page.getByRole("button", { name: "Start Chat" }).click();
  const input = page.getByPlaceholder("Type your message...");
  await expect(input).toBeFocused();
  await input.pressSequentially("<b>one</b>");
  await input.press("Shift+Enter");
  await input.pressSequentially("two");
  await input.press("Enter");
  await expect(bubbles(page).last()).toHaveText("<b>one</b>\ntwo", { useInnerText: true });
  await expect(input).toHaveValue("");
});

test("prefills the form from the profile of a signed-in customer", async ({ page }) => {
  const email = await signUpByRequest(page, "Cy Profile");
  await page.goto("/dashboard");
  await openChat(page);
  await expect(page.getByLabel("Your name")).toHaveValue("Cy Profile");
  await expect(page.getByLabel("Your email (optional)")).toHaveValue(email);
});

test("tells a blocked visitor that they can't write and takes their message field away, until they are unblocked", async ({
  browser,
  page,
  copy,
}) => {
  const { agent } = await meet({ browser, copy, page }, "Bella");
  await agent.getByRole("button", { name: "Block visitor" }).click();
  const refusal = page.getByText("You can't send messages in this conversation.");
  await expect(refusal).toBeVisible();
  await expect(page.getByPlaceholder("Type your message...")).toHaveCount(0);
  await expect(page.getByText(/reopen it/)).toHaveCount(0);
  await page.reload();
  await openChat(page);
  await expect(refusal).toBeVisible();
  await agent.getByRole("button", { name: "Unblock visitor" }).click();
  await expect(page.getByPlaceholder("Type your message...")).toBeVisible();
  await expect(refusal).toHaveCount(0);
  await agent.context().close();
});

test("clears the badge in every tab when one is read, and turns off title alerts", async ({
  browser,
  context,
  page,
  copy,
}) => {
  const { agent } = await meet({ browser, copy, page }, "Tabitha");
  await page.keyboard.press("Escape");
  const other = await context.newPage();
  await other.goto("/");
  await say(agent, "one");
  for (const tab of [page, other]) {
    await expect(tab.getByRole("button", { name: "Open support chat, 1 new" })).toBeVisible();
    await expect(tab).toHaveTitle(/^\(1\) /);
  }
  await other.getByRole("button", { name: "Open support chat, 1 new" }).click();
  await expect(page.getByRole("button", { name: "Open support chat", exact: true })).toBeVisible();
  for (const tab of [page, other]) await expect(tab).not.toHaveTitle(/^\(/);

  await other.getByRole("button", { name: "Turn off sound and title alerts" }).click();
  await other.getByRole("button", { name: "Minimize chat" }).click();
  await say(agent, "two");
  await expect(other.getByText("1 new")).toBeVisible();
  for (const tab of [page, other]) await expect(tab).not.toHaveTitle(/^\(/);
  await agent.context().close();
});
