import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, CUT_OFF, closeAndReturn, meet, openChat, say, startChat } from "./chat-steps.ts";

test("chats and sends read receipts over HTTP where no WebSocket gets through", async ({
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
  await agent.context().close();
});

test("posts a message once over HTTP and shows it after the agent's earlier message", async ({
  browser,
  page: visitor,
  copy,
}) => {
  allowConsole(visitor, CUT_OFF);
  await visitor.routeWebSocket(/\/socket/, (socket) => socket.close());
  const { agent } = await meet({ browser, copy, page: visitor }, "Hugo");
  await say(visitor, "first");
  await expect(visitor.getByText("· Sent").or(visitor.getByText("· Seen"))).toBeVisible();
  let posts = 0;
  visitor.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/messages")) posts += 1;
  });
  await say(agent, "before it");
  await expect(bubbles(agent)).toHaveCount(3);
  await say(visitor, "after it");
  for (const page of [visitor, agent]) {
    await expect(bubbles(page)).toHaveText([/^Hi Hugo/, "first", "before it", "after it"]);
    await expect(page.getByText("Sending…")).toHaveCount(0);
  }
  expect(posts).toBe(1);
  await agent.context().close();
});

test("keeps the conversation for visitor and agent when the visitor signs up in one of two tabs", async ({
  browser,
  context,
  page,
  copy,
}) => {
  allowConsole(page, CUT_OFF);
  const { agent } = await meet({ browser, copy, page }, "Mina");
  await say(page, "before signing up");
  const other = await context.newPage();
  allowConsole(other, CUT_OFF);
  await other.goto("/");
  await openChat(other);
  await expect(bubbles(other)).toHaveCount(2);
  await agent.getByPlaceholder("Type your message...").fill("half a rep");

  await page.goto("/auth/signup");
  await page.getByLabel("Email address").fill(`mina-${Date.now()}@test.example`);
  await page.getByLabel("Password", { exact: true }).fill("a long password");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.waitForURL(/dashboard/);
  await openChat(page);
  await expect(bubbles(page)).toHaveText([/^Hi Mina/, "before signing up"]);
  await expect(bubbles(other)).toHaveCount(2);

  await agent.waitForURL(/\/admin\/support\/user_/);
  await expect(agent.getByPlaceholder("Type your message...")).toHaveValue("half a rep");
  await say(agent, "the reply");
  for (const tab of [page, other, agent]) {
    await expect(bubbles(tab)).toHaveText([/^Hi Mina/, "before signing up", "the reply"]);
  }
  await say(other, "from the second tab");
  await expect(bubbles(page)).toHaveCount(4);
  await agent.context().close();
});

test("shows an error and keeps the page and the draft if closing a conversation fails", async ({
  browser,
  page: visitor,
  copy,
}) => {
  const { agent, name } = await meet({ browser, copy, page: visitor }, "Otto");
  allowConsole(agent, CUT_OFF);
  await agent.getByPlaceholder("Type your message...").fill("a draft");
  const status = "**/admin/support/*/actions*";
  await agent.route(status, (route) => route.abort("connectionfailed"));
  await agent.getByRole("button", { name: "Close", exact: true }).click();
  await expect(agent.getByText("Couldn't update the conversation.")).toBeVisible();
  await expect(agent.getByPlaceholder("Type your message...")).toHaveValue("a draft");
  await agent.unroute(status);
  await closeAndReturn(agent, name);
  await expect(agent.getByText("Closed", { exact: true }).first()).toBeVisible();
  await agent.getByRole("button", { name: "Reopen" }).click();
  await expect(agent.getByText("Open", { exact: true })).toBeVisible();
  await agent.context().close();
});

test("declines compression on the chat's socket", async ({ page }) => {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  const handshake = new Promise<string>((resolve) => {
    devtools.on("Network.webSocketHandshakeResponseReceived", ({ response }) => {
      if (response.requestHeadersText?.includes("/support/sessions/")) resolve(response.headersText ?? "");
    });
  });
  await startChat(page, `Squeeze ${Date.now()}`);
  const headers = await handshake;
  expect(headers).toContain("101");
  expect(headers.toLowerCase()).not.toContain("sec-websocket-extensions");
});
