import { allowConsole, expect, signUp, test } from "#tests/e2e/fixtures.ts";
import {
  attach,
  bubbles,
  CAT,
  CUT_OFF,
  controlConnection,
  meet,
  openChat,
  say,
  storedFiles,
  uploadsOf,
} from "./chat-steps.ts";

test("chats over HTTP where no WebSocket gets through: once, in order and with read receipts", async ({
  browser,
  page: visitor,
  copy,
}) => {
  allowConsole(visitor, CUT_OFF);
  await visitor.routeWebSocket(/\/socket/, (socket) => socket.close());
  const { agent } = await meet({ browser, copy, page: visitor }, "Hetty");
  await say(visitor, "over HTTP, one");
  await say(visitor, "over HTTP, two");
  await say(visitor, "over HTTP, three");
  const sent = [/^Hi Hetty/, "over HTTP, one", "over HTTP, two", "over HTTP, three"];
  await expect(bubbles(agent)).toHaveText(sent);
  await say(agent, "Got it.");
  await expect(bubbles(visitor)).toHaveText([...sent, "Got it."]);
  for (const page of [visitor, agent]) await expect(page.getByText("· Seen")).toBeVisible();

  let posts = 0;
  visitor.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/messages")) posts += 1;
  });
  await say(agent, "before it");
  await expect(bubbles(agent)).toHaveCount(6);
  await say(visitor, "after it");
  for (const page of [visitor, agent]) {
    await expect(bubbles(page)).toHaveText([...sent, "Got it.", "before it", "after it"]);
    await expect(page.getByText("Sending…")).toHaveCount(0);
  }
  expect(posts).toBe(1);
  await agent.context().close();
});

test("keeps the conversation, the unsent text and file and the agent's draft when the visitor signs up in one of two tabs", async ({
  browser,
  context,
  page,
  copy,
}) => {
  allowConsole(page, CUT_OFF);
  const connection = await controlConnection(context);
  const uploads = uploadsOf(context);
  const { agent } = await meet({ browser, copy, page }, "Mina");
  await say(page, "before signing up");
  await expect(bubbles(agent)).toHaveCount(2);
  const other = await context.newPage();
  allowConsole(other, CUT_OFF);
  await other.goto("/");
  await openChat(other);
  await expect(bubbles(other)).toHaveCount(2);
  await agent.getByPlaceholder("Type your message...").fill("half a rep");

  await connection.cut();
  await say(page, "before I had an account");
  await attach(page, CAT);
  await expect.poll(() => storedFiles(page)).toBe(1);
  await signUp(page, "Mina Account");
  await openChat(page);
  await expect(bubbles(page).filter({ hasText: "before I had an account" })).toHaveCount(1);
  await expect(bubbles(page).filter({ hasText: "cat.png" })).toHaveCount(1);
  expect(uploads).toEqual([]);

  connection.restore();
  await agent.waitForURL(/\/admin\/support\/user_/);
  await expect(agent.getByPlaceholder("Type your message...")).toHaveValue("half a rep");
  const own = new URL(agent.url()).pathname.split("/").at(-1) ?? "";
  const sent = [/^Hi Mina/, "before signing up", "before I had an account", ""];
  for (const tab of [page, other, agent]) {
    await expect(tab.getByRole("img", { name: "cat.png" })).toHaveCount(1);
    await expect(bubbles(tab)).toHaveText(sent);
    await expect(tab.getByText("Not sent")).toHaveCount(0);
  }
  await say(agent, "the reply");
  for (const tab of [page, other, agent]) await expect(bubbles(tab)).toHaveText([...sent, "the reply"]);
  await say(other, "from the second tab");
  await expect(bubbles(page)).toHaveCount(6);
  // Nothing is left in storage that another visit would send again, in either session.
  await page.reload();
  await openChat(page);
  await expect(bubbles(page)).toHaveText([...sent, "the reply", "from the second tab"]);
  expect(uploads).toEqual([200]);
  expect(await page.evaluate(() => localStorage.getItem("support_session_id"))).toBe(own);
  await agent.context().close();
});
