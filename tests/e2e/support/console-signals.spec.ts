import type { Page } from "@playwright/test";
import { allowConsole, countLoads, expect, sessionOf, test } from "#tests/e2e/fixtures.ts";
import { linkInEmail, signUpConfirmed } from "#tests/e2e/received-emails.ts";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import {
  bubbles,
  CUT_OFF,
  closeAndReturn,
  isLive,
  newPage,
  openChat,
  openConsole,
  row,
  say,
  startChat,
} from "./chat-steps.ts";

test("updates lists and counters of two agents without a request, after a failed read, a kill and an eviction", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  test.setTimeout(240_000);
  // The desk sends no change when it couldn't read it.
  let isChangeLost = false;
  const agent = await newPage(browser, copy, {
    viewport: { width: 1440, height: 900 },
    storageState: await sessionOf(browser, copy, "agent"),
  });
  await agent.routeWebSocket(/\/admin\/inbox\/socket/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((text) => {
      socket.send(isChangeLost && String(text).startsWith("{") ? withoutChange(String(text)) : text);
    });
  });
  await agent.goto("/admin");
  await isLive(agent);
  const agents = [agent, await openConsole(browser, copy, "admin")] as const;
  const stamp = Date.now();
  const visitors = [await newPage(browser, copy), await newPage(browser, copy)] as const;
  const names = [`Eva ${stamp}`, `Ewa ${stamp}`] as const;
  for (const [at, page] of visitors.entries()) await startChat(page, names[at] ?? "");
  await say(visitors[0], "Before");
  for (const one of agents) await expect(row(one, names[0])).toContainText("Before");
  for (const page of [...agents, ...visitors]) allowConsole(page, CUT_OFF);

  await test.step("puts what changes into the list of every console without a request by any of them", async () => {
    for (const one of agents) {
      await expect(row(one, names[1])).toContainText("Hi Ewa");
      await expectRightCounters(one);
    }
    const [, id = ""] = /support\/([\w-]+)/.exec((await row(agent, names[1]).getAttribute("href")) ?? "") ?? [];
    expect(id).not.toBe("");
    const requests: string[] = [];
    // Conversations of earlier tests may still change, so only reads of this one count.
    for (const one of agents)
      one.on("request", (request) => readsOf(request.url(), id) && requests.push(request.url()));
    for (const text of ["First", "Second", "Third"]) {
      await say(visitors[1], text);
      for (const one of agents) await expect(row(one, names[1])).toContainText(text);
    }
    expect(requests).toEqual([]);
    for (const one of agents) await expectRightCounters(one);
  });

  await test.step("retries a read that failed after a change, on the same connection", async () => {
    isChangeLost = true;
    let refused = 0;
    await agent.route(/\/admin\/inbox\?/, (route) => {
      if (refused === 2) return route.continue();
      refused += 1;
      return route.fulfill({ status: 503 });
    });
    await say(visitors[1], "Announced once, refused twice");
    await expect(row(agent, names[1])).toContainText("Announced once, refused twice");
    expect(refused).toBe(2);
    await agent.unroute(/\/admin\/inbox\?/);
    isChangeLost = false;
  });
  const loads = agents.map(countLoads);

  // An eviction waits for every call to the desk. One of an earlier test that hangs ends here.
  copy.killWorkerd();
  await copy.untilReady();
  await say(visitors[1], "After the kill");
  await say(visitors[0], "Me too");
  for (const one of agents) {
    await expect(row(one, names[1])).toContainText("After the kill");
    await expect(row(one, names[0])).toContainText("Me too");
    await expectRightCounters(one);
  }

  await copy.evictDesk();
  await say(visitors[1], "After the eviction");
  for (const one of agents) {
    await expect(row(one, names[1])).toContainText("After the eviction");
    await expect(row(one, names[1])).toContainText("Unread");
    await expectRightCounters(one);
  }
  await row(agents[0], names[1]).click();
  await say(agents[0], "A reply");
  await copy.evictDesk();
  await agents[0].getByRole("button", { name: "Close", exact: true }).click();
  for (const one of agents) {
    await expect(row(one, names[1])).toHaveCount(0);
    await expectRightCounters(one);
  }
  expect(loads.map((count) => count())).toEqual([0, 0]);
  for (const page of [...agents, ...visitors]) await page.context().close();
});

/** Returns whether a console asks for the row of that conversation. */
function readsOf(url: string, id: string): boolean {
  const { pathname, searchParams } = new URL(url);
  return pathname === "/admin/inbox" && searchParams.get("ids")?.split(",").includes(id) === true;
}

function withoutChange(hint: string): string {
  return JSON.stringify({ ...JSON.parse(hint), change: undefined });
}

test("keeps two tabs of one agent in sync, also after a sleep and after being offline", { tag: "@nightly" }, async ({
  browser,
  copy,
}) => {
  test.setTimeout(180_000);
  const first = await openConsole(browser, copy, "agent");
  const second = await first.context().newPage();
  await second.goto("/admin");
  await isLive(second);
  const stamp = Date.now();
  const name = `Two ${stamp}`;
  const visitor = await newPage(browser, copy);
  await startChat(visitor, name);
  await say(visitor, "Hello");
  for (const tab of [first, second]) await expect(row(tab, name)).toContainText("Unread");

  // Reads, assigns and types in one of them.
  await row(first, name).click();
  for (const tab of [first, second]) await expect(row(tab, name)).not.toContainText("Unread");
  await row(second, name).click();
  await expect(second.getByRole("heading", { name, level: 1 })).toBeVisible();
  await first.getByLabel("Your message").pressSequentially("Let me");
  await expect(visitor.getByText("Demo Agent is typing…").first()).toBeVisible();
  const [chosen = ""] = await first.getByLabel("Assigned to").selectOption({ label: "Demo Agent" });
  for (const tab of [first, second]) await expect(tab.getByLabel("Assigned to")).toHaveValue(chosen);
  for (const tab of [first, second]) {
    await expect(row(tab, name)).toContainText("Demo Agent");
    await expectRightCounters(tab);
    await expect(tab.getByText("also viewing this conversation")).toHaveCount(0);
    await expect(tab.getByText("is replying")).toHaveCount(0);
  }

  // A sleeping page receives nothing.
  for (const page of [first, second, visitor]) allowConsole(page, CUT_OFF);
  const loads = [first, second].map(countLoads);
  const cdp = await second.context().newCDPSession(second);
  await cdp.send("Page.setWebLifecycleState", { state: "frozen" });
  await say(visitor, "While it slept");
  await expect(row(first, name)).toContainText("While it slept");
  copy.killWorkerd();
  await copy.untilReady();
  await closeAndReturn(first, name);
  await expect(row(first, name)).toHaveCount(0);
  await cdp.send("Page.setWebLifecycleState", { state: "active" });
  await expect(row(second, name)).toHaveCount(0);
  await expect(bubbles(second).last()).toHaveText("While it slept");
  await expect(second.getByRole("button", { name: "Reopen" })).toBeVisible();
  await expectRightCounters(second);

  // Offline.
  await first.context().setOffline(true);
  await say(visitor, "While it was offline");
  await expect(visitor.getByText("· Sent")).toBeVisible();
  await first.context().setOffline(false);
  for (const tab of [first, second]) {
    await expect(row(tab, name)).toContainText("While it was offline");
    await expect(bubbles(tab).last()).toHaveText("While it was offline");
    await expectRightCounters(tab);
  }
  expect(loads.map((count) => count())).toEqual([0, 0]);
  for (const page of [first, visitor]) await page.context().close();
});

test("announces a new message by sound, notification and title, except in the visible conversation or when turned off", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  test.setTimeout(120_000);
  const agent = await newPage(browser, copy, {
    viewport: { width: 1440, height: 900 },
    storageState: await sessionOf(browser, copy, "agent"),
    permissions: ["notifications"],
  });
  await agent.context().addInitScript(recordSignals);
  await agent.goto("/admin");
  await isLive(agent);
  const stamp = Date.now();
  const [una, vera] = [`Una ${stamp}`, `Vera ${stamp}`];
  const [first, second] = [await newPage(browser, copy), await newPage(browser, copy)];
  await startChat(first, una);
  await startChat(second, vera);
  await hide(agent, true);

  await say(first, "Is anybody there?");
  await expect.poll(() => shown(agent)).toEqual([{ title: una, body: "Is anybody there?" }]);
  expect(await sounds(agent)).toBe(1);
  await expect(agent).toHaveTitle(/^\(\d+\+?\) Console/);

  // A click opens the conversation, whose messages are not announced while it is visible.
  await agent.evaluate(() => window.signals.notifications.at(-1)?.dispatchEvent(new Event("click")));
  await expect(agent.getByRole("heading", { name: una, level: 1 })).toBeVisible();
  await hide(agent, false);
  await expect(row(agent, una)).not.toContainText("Unread");
  await say(first, "Did you see this?");
  await expect(bubbles(agent).last()).toHaveText("Did you see this?");
  await expect(row(agent, una)).toContainText("Did you see this?");
  // Not announced in the agent's other, hidden tab either.
  const other = await agent.context().newPage();
  await other.goto("/admin");
  await isLive(other);
  await hide(other, true);
  await say(first, "And now?");
  await expect(row(other, una)).toContainText("And now?");
  await expect(row(agent, una)).toContainText("And now?");
  expect(await shown(agent)).toHaveLength(1);
  expect(await sounds(agent)).toBe(1);
  expect([await shown(other), await sounds(other)]).toEqual([[], 0]);
  await other.close();

  // A message in another conversation makes a sound, but needs no notification while the window is visible.
  await say(second, "And me?");
  await expect.poll(() => sounds(agent)).toBe(2);
  expect(await shown(agent)).toHaveLength(1);

  // Turns all of them off, also after a reload.
  await agent.getByRole("button", { name: "Notifications" }).click();
  const sheet = agent.getByRole("dialog", { name: "Notifications" });
  for (const label of [/^Sound/, /^Count in/, /^Desktop/]) await sheet.getByRole("checkbox", { name: label }).uncheck();
  await sheet.getByRole("button", { name: "Close" }).click();
  await expect(agent).toHaveTitle(/^Una/);
  await agent.goto("/admin");
  await isLive(agent);
  await hide(agent, true);
  await say(second, "Anybody there?");
  await expect(row(agent, vera)).toContainText("Anybody there?");
  await say(second, "Hello?");
  await expect(row(agent, vera)).toContainText("Hello?");
  expect([await shown(agent), await sounds(agent)]).toEqual([[], 0]);
  await expect(agent).toHaveTitle(/^Console/);
  for (const page of [agent, first, second]) await page.context().close();
});

test("opens the conversation by the link in the unread-reply email, as a visitor, on an open page and with an account", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  test.setTimeout(180_000);
  const agent = await openConsole(browser, copy, "agent");
  const stamp = Date.now();

  const visitor = await newPage(browser, copy);
  await visitor.goto("/");
  await openChat(visitor);
  await visitor.getByLabel("Your name").fill(`Lea ${stamp}`);
  await visitor.getByLabel("Your email (optional)").fill(`lea${stamp}@test.example`);
  await visitor.getByRole("button", { name: "Start Chat" }).click();
  await say(visitor, "I have to go");
  await row(agent, `Lea ${stamp}`).click();
  await expect(agent.getByRole("heading", { name: `Lea ${stamp}`, level: 1 })).toBeVisible();
  await visitor.goto("about:blank");
  await say(agent, "A reply");
  await visitor.goto(await unreadReplyLink(copy, agent, `lea${stamp}@test.example`));
  await expect(visitor.getByRole("dialog", { name: "Support Chat" })).toBeVisible();
  await expect(bubbles(visitor)).toHaveText([/^Hi Lea/, "I have to go", "A reply"]);
  // The same link again, on an open page.
  await visitor.getByRole("button", { name: "Close chat" }).click();
  await visitor.evaluate(() => location.assign("#support-chat"));
  await expect(bubbles(visitor)).toHaveCount(3);

  const customer = await newPage(browser, copy);
  const email = await signUpConfirmed(customer, copy, `Max ${stamp}`);
  await customer.goto("/dashboard");
  await openChat(customer);
  await customer.getByRole("button", { name: "Start Chat" }).click();
  await say(customer, "Where is my order?");
  await row(agent, `Max ${stamp}`).click();
  await expect(agent.getByRole("heading", { name: `Max ${stamp}`, level: 1 })).toBeVisible();
  await customer.goto("about:blank");
  await say(agent, "Here it is");
  const link = await unreadReplyLink(copy, agent, email);
  await customer.goto(link);
  await customer.waitForURL(/\/dashboard/);
  await expect(bubbles(customer).last()).toHaveText("Here it is");
  // In another browser, after logging in.
  const elsewhere = await newPage(browser, copy);
  await elsewhere.goto(link);
  await elsewhere.getByLabel("Email address").fill(email);
  await elsewhere.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await elsewhere.getByRole("button", { name: "Log in", exact: true }).click();
  await elsewhere.waitForURL(/\/dashboard/);
  await expect(bubbles(elsewhere).last()).toHaveText("Here it is");
  for (const page of [agent, visitor, customer, elsewhere]) await page.context().close();
});

declare global {
  interface Window {
    signals: { notifications: (EventTarget & { title: string; body: string })[]; sounds: number };
  }
}

/** Records notifications and sounds, because a headless browser has neither. */
function recordSignals(): void {
  window.signals = { notifications: [], sounds: 0 };
  class Recorded extends EventTarget {
    static permission = "granted";
    static requestPermission = async () => "granted";
    title: string;
    body: string;
    constructor(title: string, { body }: { body: string }) {
      super();
      this.title = title;
      this.body = body;
      window.signals.notifications.push(this);
    }
    close() {}
  }
  Object.assign(window, { Notification: Recorded });
  const Context = window.AudioContext;
  Object.assign(window, {
    AudioContext: class extends Context {
      constructor() {
        super();
        window.signals.sounds += 1;
      }
    },
  });
}

function shown(page: Page): Promise<{ title: string; body: string }[]> {
  return page.evaluate(() => window.signals.notifications.map(({ title, body }) => ({ title, body })));
}

function sounds(page: Page): Promise<number> {
  return page.evaluate(() => window.signals.sounds);
}

/** Simulates another tab in front of the page. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate((isHidden) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => isHidden });
    Object.defineProperty(document, "visibilityState", {
      configurable: true,
      get: () => (isHidden ? "hidden" : "visible"),
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

/** Checks that the page shows the database's counters. */
async function expectRightCounters(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      const response = await page.request.get("/admin/inbox");
      const { counts } = (await response.json()) as { counts: Record<string, number> };
      const shown = await page.getByRole("navigation", { name: "Views" }).getByRole("link").allInnerTexts();
      const wanted = ["Open", "Mine", "Unassigned", "Closed", "Snoozed"].map(
        (label) => `${label} ${counts[label.toLowerCase()]?.toLocaleString("en")}`,
      );
      return shown.map((text) => text.replace(/\s+/g, " ")).join() === wanted.join();
    })
    .toBe(true);
}

/** Returns the link in the unread-reply email. Backdates the reply, because the email is sent after three minutes. */
async function unreadReplyLink(copy: LocalCopy, agent: Page, to: string): Promise<string> {
  await expect(agent.getByText("· Sent")).toBeVisible();
  await expect(agent.getByText("away", { exact: false }).first()).toBeVisible();
  const older = `update support_sessions set reply_at = reply_at - ?1
    where user_email = ?2 and reply_seq > user_read_seq and reply_at > ?3 - ?1`;
  await expect.poll(() => copy.changeRows("DB_SUPPORT", older, 4 * 60_000, to, Date.now())).toBeGreaterThan(0);
  return linkInEmail(copy, to, /replied to you/);
}
