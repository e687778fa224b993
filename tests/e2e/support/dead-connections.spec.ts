import type { Browser, Page, WebSocket } from "@playwright/test";
import { HOUR_MS } from "#app/time.ts";
import { allowConsole, test as base, expect, sessionOf } from "#tests/e2e/fixtures.ts";
import { startOneWayProxy } from "#tests/faults/one-way-proxy.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { bubbles, CUT_OFF, isLive, newPage, row, say, startChat } from "./chat-steps.ts";

/** One side reaches the product through a proxy that drops or holds what its open sockets send, in one direction or both. */

type Proxy = Awaited<ReturnType<typeof startOneWayProxy>> & { url: string };
const test = base.extend<{ oneWay: Proxy }>({
  oneWay: async ({ copy }, use) => {
    const proxy = await startOneWayProxy(Number(new URL(copy.url).port));
    await use({ ...proxy, url: `http://localhost:${proxy.port}` });
    proxy.close();
  },
});

/** Without a reply for so long, a connection is dead. */
const REPLY_WITHIN_MS = 10_000;
/** Longer than the first wait before connecting again. */
const RECONNECT_MS = 1500;
const WELCOME = /^Hi /;

test("loses and repeats no message of a visitor over dead, slow, given-up and refusing connections", async ({
  browser,
  copy,
  oneWay: proxy,
}) => {
  const { visitor, agent, socketOf } = await meetThrough({ browser, copy, proxy }, "visitor");
  const thread: (RegExp | string)[] = [WELCOME];
  /** Expects that both sides show what was said so far and then these messages. */
  const expectBoth = async (...texts: string[]) => {
    thread.push(...texts);
    for (const page of [visitor, agent]) await expect(bubbles(page)).toHaveText(thread);
    await expect(visitor.getByText("Sending…")).toHaveCount(0);
  };
  await say(visitor, "before");
  await expectBoth("before");
  await expect(visitor.getByText("· Seen")).toBeVisible();
  await stopClock(visitor);

  await test.step("drops a connection after 10 s whose uplink is dead, though the agent's messages still arrive", async () => {
    const dead = socketOf();
    proxy.drop(["up"]);
    await say(visitor, "lost one");
    await say(visitor, "lost two");
    await agent.getByPlaceholder("Type your message...").pressSequentially("hm");
    await expect(visitor.getByText("is typing…").first()).toBeVisible();
    await visitor.clock.runFor(REPLY_WITHIN_MS - 1000);
    await say(agent, "are you there?");
    await expect(bubbles(visitor)).toContainText(["are you there?"]);
    expect(socketOf()).toBe(dead);
    await reconnect(visitor, 1000);
    expect(socketOf()).not.toBe(dead);
    await expectBoth("are you there?", "lost one", "lost two");
  });

  await test.step("shows a message once whose acknowledgement was lost, and the replies lost with it", async () => {
    proxy.drop(["down"]);
    await say(visitor, "one");
    await expect(bubbles(agent)).toHaveText([...thread, "one"]);
    await say(visitor, "two");
    await say(agent, "a reply");
    await expect(bubbles(agent)).toHaveText([...thread, "one", "a reply"]);
    await expect(bubbles(visitor)).toHaveText([...thread, "one", "two"]);
    await reconnect(visitor, REPLY_WITHIN_MS);
    await expectBoth("one", "a reply", "two");
  });

  await test.step("keeps a slow connection that replies in time, and sends nothing twice over it", async () => {
    const slow = socketOf();
    let sends = 0;
    slow?.on("framesent", ({ payload }) => {
      if (String(payload).includes('"send"')) sends += 1;
    });
    for (const text of ["slow one", "slow two", "slow three"]) {
      const release = proxy.hold();
      await say(visitor, text);
      await visitor.clock.runFor(REPLY_WITHIN_MS - 1000);
      await expect(visitor.getByText("Sending…")).toHaveCount(1);
      release();
      await expect(visitor.getByText("Sending…")).toHaveCount(0);
    }
    await expectBoth("slow one", "slow two", "slow three");
    expect(socketOf()).toBe(slow);
    expect(sends).toBe(3);
  });

  await test.step("shows a message once that arrives over the given-up connection after it was sent over the next", async () => {
    const release = proxy.hold();
    await say(visitor, "held one");
    await say(visitor, "held two");
    await reconnect(visitor, REPLY_WITHIN_MS);
    await expectBoth("held one", "held two");
    release();
    await say(agent, "got both");
    await expectBoth("got both");
    await agent.reload();
    await expect(bubbles(agent)).toHaveText(thread);
  });

  await test.step("tries a refused message again over a new connection while an earlier send has no answer", async () => {
    const release = proxy.hold(["up"]);
    await say(visitor, "refused");
    const blocked = agent.waitForResponse(/\/actions$/);
    await agent.getByRole("button", { name: "Block visitor" }).click();
    // The message must reach the room after the block.
    expect((await blocked).ok()).toBe(true);
    release();
    await expect(visitor.getByRole("button", { name: "Try again" })).toBeVisible();
    await agent.getByRole("button", { name: "Unblock visitor" }).click();
    await expect(visitor.getByPlaceholder("Type your message...")).toBeVisible();
    const dead = socketOf();
    proxy.drop(["up"]);
    await say(visitor, "unanswered");
    const next = visitor.waitForEvent("websocket");
    await visitor.getByRole("button", { name: "Try again" }).click();
    // At once: the page's clock stands still.
    await next;
    await expectBoth("refused", "unanswered");
    expect(socketOf()).not.toBe(dead);
  });

  await test.step("catches up after an hour's sleep in which the connection died without a word", async () => {
    proxy.drop();
    await say(agent, "while you slept");
    await visitor.clock.fastForward(HOUR_MS);
    await say(visitor, "good morning");
    await expect(bubbles(visitor)).toHaveText([...thread, "good morning"]);
    await reconnect(visitor, REPLY_WITHIN_MS);
    await expectBoth("while you slept", "good morning");
  });
});

test("sends an agent's replies once and in order over connections that died, and shows the console what it missed", async ({
  browser,
  copy,
  oneWay: proxy,
}) => {
  const { visitor, agent } = await meetThrough({ browser, copy, proxy }, "agent");
  await stopClock(agent);
  proxy.drop(["up"]);
  await say(agent, "lost one");
  await say(agent, "lost two");
  await say(visitor, "still there?");
  await expect(bubbles(agent)).toContainText(["still there?"]);
  await reconnect(agent, REPLY_WITHIN_MS);
  const first = [WELCOME, "still there?", "lost one", "lost two"];
  for (const page of [visitor, agent]) await expect(bubbles(page)).toHaveText(first);

  proxy.drop(["down"]);
  await say(agent, "arrives");
  await expect(bubbles(visitor)).toHaveText([...first, "arrives"]);
  await say(visitor, "thanks");
  await expect(bubbles(agent)).toHaveText([...first, "arrives"]);
  await reconnect(agent, REPLY_WITHIN_MS);
  for (const page of [visitor, agent]) {
    await expect(bubbles(page)).toHaveText([...first, "arrives", "thanks"]);
    await expect(page.getByText("Sending…")).toHaveCount(0);
  }

  await test.step("shows new conversations again after the console's connections have died", async () => {
    proxy.drop();
    const other = await newPage(browser, copy);
    const name = `Late ${Date.now()}`;
    await startChat(other, name);
    // The next heartbeat, in 25 s at most, has no answer.
    const opened = agent.waitForEvent("websocket");
    await agent.clock.runFor(25_000 + REPLY_WITHIN_MS + RECONNECT_MS);
    await opened;
    await agent.clock.resume();
    await row(agent, name).click();
    await say(other, "finally");
    await expect(bubbles(agent)).toHaveText([WELCOME, "finally"]);
  });
});

/** Lets a visitor and an agent meet, one of them behind the proxy. `socketOf`: that side's newest connection to the room. */
async function meetThrough(
  { browser, copy, proxy }: { browser: Browser; copy: LocalCopy; proxy: Proxy },
  behind: "visitor" | "agent",
): Promise<{ visitor: Page; agent: Page; socketOf: () => WebSocket | undefined }> {
  const name = `Dora ${Date.now()}`;
  const urlOf = (side: "visitor" | "agent") => (side === behind ? proxy.url : copy.url);
  const visitor = await newPage(browser, copy, { baseURL: urlOf("visitor") });
  const agent = await newPage(browser, copy, {
    baseURL: urlOf("agent"),
    storageState: await sessionOf(browser, copy, "agent"),
    viewport: { width: 1440, height: 900 },
  });
  const page = behind === "visitor" ? visitor : agent;
  allowConsole(page, CUT_OFF);
  const sockets: WebSocket[] = [];
  page.on("websocket", (socket) => {
    if (socket.url().includes("/support/sessions/")) sockets.push(socket);
  });
  await page.clock.install();
  await agent.goto("/admin");
  await isLive(agent);
  await startChat(visitor, name);
  await row(agent, name).click();
  await expect(bubbles(agent)).toHaveText([WELCOME]);
  await expect(visitor.getByText("is here").first()).toBeVisible();
  return { visitor, agent, socketOf: () => sockets.at(-1) };
}

/** From now on the page's timers fire only as a test says. */
async function stopClock(page: Page): Promise<void> {
  // A busy page is past that time when it hears of it, and then stands still already.
  await expect(() => page.clock.pauseAt(Date.now() + 1000)).toPass();
}

/** Lets the page notice in `afterMs` that its connection is dead, and connect again. */
async function reconnect(page: Page, afterMs: number): Promise<void> {
  await page.clock.runFor(afterMs);
  const opened = page.waitForEvent("websocket");
  await page.clock.runFor(RECONNECT_MS);
  await opened;
}
