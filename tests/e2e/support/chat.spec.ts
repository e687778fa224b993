import { allowConsole, expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";
import {
  attach,
  bubbles,
  CAT,
  CUT_OFF,
  controlConnection,
  meet,
  openConsole,
  row,
  say,
  startChat,
  uploadsOf,
} from "./chat-steps.ts";

/** Milliseconds without an acknowledgment after which a message counts as not sent. */
const ACK_WITHIN_MS = 15_000;
const PHONE = { width: 390, height: 800 };
const FIVE = ["one of five", "two of five", "three of five", "four of five", "five of five"];

test("loses and duplicates no message when workerd is killed, a connection is cut and a page is reloaded", async ({
  browser,
  context,
  page: visitor,
  copy,
}) => {
  test.setTimeout(180_000);
  const connection = await controlConnection(context);
  const agent = await openConsole(browser, copy, "agent");
  allowConsole(visitor, CUT_OFF);
  allowConsole(agent, CUT_OFF);
  const name = `Ada ${Date.now()}`;
  await visitor.clock.install();
  await startChat(visitor, name);
  await expect(visitor.getByText("Chat session started successfully!")).toBeVisible();
  const welcome = `Hi ${name}! Welcome to our support chat. How can we help you today?`;
  await expect(bubbles(visitor)).toHaveText([welcome]);

  await say(visitor, "Where is my order?");
  await row(agent, name).click();
  await expect(bubbles(agent)).toHaveText([welcome, "Where is my order?"]);
  // Remix reloads a page whose next route can't be loaded.
  await agent.waitForURL(/\/admin\/support\/anon_/);
  await say(agent, "Let me look.");
  await expect(bubbles(visitor)).toHaveText([welcome, "Where is my order?", "Let me look."]);
  await expect(visitor.getByText("Demo Agent", { exact: true })).toBeVisible();

  let shown: string[] = [];
  await test.step("loses nothing that both sides write while workerd is down", async () => {
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
    shown = await bubbles(visitor).allTextContents();
    expect(await bubbles(agent).allTextContents()).toEqual(shown);
  });

  await test.step("delivers five messages once and in order after a cut connection and a killed server", async () => {
    await connection.cut();
    for (const text of FIVE.slice(0, 3)) await say(visitor, text);
    copy.killWorkerd();
    for (const text of FIVE.slice(3)) await say(visitor, text);
    await say(agent, "Are you still there?");
    await visitor.clock.fastForward(ACK_WITHIN_MS);
    await expect(visitor.getByText("Not sent")).toHaveCount(5);
    await expect(visitor.getByText("Failed to send message").first()).toBeVisible();
    await expect(bubbles(visitor)).toHaveText([...shown, ...FIVE]);
    await copy.untilReady();
    await expect(bubbles(agent)).toHaveText([...shown, "Are you still there?"]);
    connection.restore();
    for (const tab of [visitor, agent]) {
      await expect(bubbles(tab)).toHaveText([...shown, "Are you still there?", ...FIVE]);
      await expect(bubbles(tab).last()).toBeInViewport();
      await expect(tab.getByText("Not sent")).toHaveCount(0);
    }
  });

  await test.step("keeps the chat open, a draft and a message written offline after a reload, and sends it once", async () => {
    await connection.cut();
    await say(visitor, "Written offline");
    // Whether it was on a socket or over HTTP when it was cut.
    await expect(visitor.getByText("Sending…").or(visitor.getByText("Not sent"))).toBeVisible();
    await visitor.getByPlaceholder("Type your message...").fill("Half a sen");
    connection.restore();
    await visitor.reload();
    await expect(visitor.getByPlaceholder("Type your message...")).toHaveValue("Half a sen");
    await expect(bubbles(visitor)).toHaveText([...shown, "Are you still there?", ...FIVE, "Written offline"]);
    await expect(bubbles(agent)).toHaveText([...shown, "Are you still there?", ...FIVE, "Written offline"]);
    await expect(visitor.getByText("· Sent").or(visitor.getByText("· Seen"))).toBeVisible();
  });
  await agent.context().close();
});

test("counts replies in the badge, the bar and the title bar, on the next page and in every tab, until one is read", {
  tag: "@nightly",
}, async ({ browser, context, page: visitor, copy }) => {
  const { agent } = await meet({ browser, copy, page: visitor }, "Uma");
  const bar = visitor.getByRole("region", { name: "Support Chat" });

  await test.step("stays minimized on the next page, and counts what is new", async () => {
    await visitor.getByRole("button", { name: "Minimize chat" }).click();
    await say(agent, "one");
    await say(agent, "two");
    await expect(visitor.getByText("2 new")).toBeVisible();
    await visitor.reload();
    await expect(bar).toContainText("2 new");
    await expect(visitor.getByRole("dialog")).toHaveCount(0);
    expect(await visitor.evaluate(() => document.activeElement === document.body)).toBe(true);
    await say(agent, "three");
    await expect(bar).toContainText("3 new");
  });

  const launcher = visitor.getByRole("button", { name: "Open support chat, 11 new" });
  await test.step("counts in the badge of a closed chat until it is opened", async () => {
    await visitor.getByRole("button", { name: "Close chat" }).click();
    for (let at = 4; at <= 11; at++) await say(agent, `number ${at}`);
    await expect(launcher).toHaveText("9+");
    await expect(launcher).toBeFocused();
    await launcher.click();
    await expect(bubbles(visitor).last()).toHaveText("number 11");
    await expect(agent.getByText("· Seen")).toBeVisible();
    await visitor.keyboard.press("Escape");
    await expect(visitor.getByRole("button", { name: "Open support chat", exact: true })).toBeFocused();
  });

  await test.step("stays closed on the next page, clears the badge in every tab, and turns off title alerts", async () => {
    const other = await context.newPage();
    const connected = other.waitForEvent("websocket");
    await other.goto("/");
    await expect(other.getByRole("button", { name: "Open support chat", exact: true })).toBeVisible();
    // Closed, it connects as well, to count what is new.
    await connected;
    await expect(other.getByRole("dialog").or(other.getByRole("region", { name: "Support Chat" }))).toHaveCount(0);
    await say(agent, "one more");
    for (const tab of [visitor, other]) {
      await expect(tab.getByRole("button", { name: "Open support chat, 1 new" })).toBeVisible();
      await expect(tab).toHaveTitle(/^\(1\) /);
    }
    await other.getByRole("button", { name: "Open support chat, 1 new" }).click();
    await expect(visitor.getByRole("button", { name: "Open support chat", exact: true })).toBeVisible();
    for (const tab of [visitor, other]) await expect(tab).not.toHaveTitle(/^\(/);

    await other.getByRole("button", { name: "Turn off sound and title alerts" }).click();
    await other.getByRole("button", { name: "Minimize chat" }).click();
    await say(agent, "and another");
    await expect(other.getByText("1 new")).toBeVisible();
    for (const tab of [visitor, other]) await expect(tab).not.toHaveTitle(/^\(/);
    await other
      .getByRole("region", { name: "Support Chat" })
      .getByRole("button", { name: /^Support Chat/ })
      .click();
    await expect(bubbles(other).last()).toHaveText("and another");
    await expect(other.getByPlaceholder("Type your message...")).toBeFocused();
  });
  await agent.context().close();
});

test("starts a chat by keyboard, sends on Enter what is neither empty nor too long, and shows markup as text", async ({
  context,
  page,
}) => {
  await page.clock.install();
  const uploads = uploadsOf(context);
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  const handshake = new Promise<string>((resolve) => {
    devtools.on("Network.webSocketHandshakeResponseReceived", ({ response }) => {
      if (response.requestHeadersText?.includes("/support/sessions/")) resolve(response.headersText ?? "");
    });
  });
  await page.goto("/");
  await untilHydrated(page);
  const launcher = page.getByRole("button", { name: "Open support chat" });
  const input = page.getByPlaceholder("Type your message...");

  await test.step("moves the focus into the chat, and requires a name", async () => {
    // A disabled button takes no focus.
    await expect(launcher).toBeEnabled();
    await launcher.focus();
    await page.keyboard.press("Enter");
    await expect(page.getByText("Start a conversation with our support team")).toBeVisible();
    const name = page.getByLabel("Your name");
    await expect(name).toBeFocused();
    await page.keyboard.type("   ");
    await page.keyboard.press("Enter");
    await expect(page.getByText("Please enter your name")).toBeVisible();
    await expect(name).toBeFocused();
    await name.fill("");
    await page.keyboard.type("Eve");
    await page.keyboard.press("Enter");
    await expect(input).toBeFocused();
  });

  await test.step("declines compression on the chat's socket", async () => {
    const headers = await handshake;
    expect(headers).toContain("101");
    expect(headers.toLowerCase()).not.toContain("sec-websocket-extensions");
  });

  await test.step("breaks the line on Shift+Enter, and sends on Enter", async () => {
    await input.pressSequentially("<b>one</b>");
    await input.press("Shift+Enter");
    await input.pressSequentially("see (https://a.example/x)");
    await input.press("Enter");
    await expect(bubbles(page).last()).toHaveText("<b>one</b>\nsee (https://a.example/x)", { useInnerText: true });
    await expect(input).toHaveValue("");
    const link = bubbles(page).last().getByRole("link", { name: "https://a.example/x", exact: true });
    await expect(link).toHaveAttribute("rel", "noopener noreferrer nofollow");
    await expect(link).toHaveAttribute("target", "_blank");
  });

  await test.step("sends nothing by the Enter that picks a word in an input method", async () => {
    await input.fill("にほん");
    // As Safari has it, after the end of the composition.
    await input.evaluate((element) => {
      element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true }));
    });
    await expect(input).toHaveValue("にほん");
    await input.press("Enter");
    await expect(bubbles(page)).toHaveText([/^Hi Eve/, /one/, "にほん"]);
  });

  await test.step("keeps a text that is too long, shows by how much, and sends it once shortened", async () => {
    await input.fill("y".repeat(4213));
    await expect(page.getByText("213 over the limit of 4,000 characters.")).toBeVisible();
    await expect(page.getByRole("button", { name: "Send message" })).toBeDisabled();
    await input.press("Enter");
    await expect(input).toHaveValue("y".repeat(4213));
    await expect(bubbles(page)).toHaveCount(3);
    await input.fill("y".repeat(4000));
    await expect(page.getByText("Too long")).toHaveCount(0);
    await input.press("Enter");
    await expect(bubbles(page).last()).toHaveText("y".repeat(4000));
    await expect(page.getByText("· Sent")).toBeVisible();
  });

  await test.step("refuses an empty file before it is sent", async () => {
    await attach(page, { ...CAT, buffer: Buffer.alloc(0) });
    await expect(page.getByText("cat.png: This file is empty.")).toBeVisible();
    await expect(bubbles(page)).toHaveCount(4);
    expect(uploads).toEqual([]);
  });

  await test.step("keeps the focus in the chat, and returns it to the button", async () => {
    await page.getByRole("button", { name: "Minimize chat" }).press("Enter");
    await expect(page.getByRole("button", { name: /^Support Chat/ })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(input).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(launcher).toBeFocused();
  });

  await test.step("covers a phone's page as a modal dialog that keeps the focus, and closes on Back", async () => {
    const desktop = page.viewportSize();
    await page.setViewportSize(PHONE);
    await page.keyboard.press("Enter");
    const chat = page.getByRole("dialog", { name: "Support Chat" });
    await expect(chat).toHaveAttribute("aria-modal", "true");
    await page.keyboard.press("Shift+Tab");
    expect(await chat.evaluate((element) => element.contains(document.activeElement))).toBe(true);
    await page.evaluate(() => history.back());
    await expect(launcher).toBeFocused();
    if (desktop) await page.setViewportSize(desktop);
  });

  await test.step("names the day of a message anew at midnight", async () => {
    await page.keyboard.press("Enter");
    const days = page.locator("[data-day]");
    await expect(days).toHaveText(["Today"]);
    await page.clock.fastForward("24:00:00");
    await expect(days).toHaveText(["Yesterday"]);
  });
});
