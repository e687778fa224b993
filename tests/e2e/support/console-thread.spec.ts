import type { Page } from "@playwright/test";
import { OPENING_MESSAGES } from "#app/support/protocol/history-query.ts";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { fillConversation } from "#tests/product/long-conversation.ts";
import {
  bubbles,
  CUT_OFF,
  closeAndReturn,
  meet,
  newPage,
  openChat,
  openConsole,
  row,
  say,
  startChat,
} from "./chat-steps.ts";

const MESSAGES = 300;
/** Rows of a long thread that are in the page at once. */
const ROWS_MAX = 130;
const LONG = 10_000;
const NAVIGATED = [
  "/admin",
  "/admin/orders",
  "/admin/replies",
  "/admin/services",
  "/admin/providers",
  "/admin/customers",
];
const FAR_RIGHT = ["/admin/codes", "/admin/emails", "/admin/reports", "/admin/settings", "/admin/audit"];

test("opens a conversation at the search hit and marks it, also far back and from one hit to the next", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  test.setTimeout(180_000);
  const agent = await openConsole(browser, copy, "agent");
  const stamp = Date.now();
  const word = `needle${stamp}`;
  const visitor = await newPage(browser, copy);
  allowConsole(visitor, /429/);
  await startChat(visitor, `Lou ${stamp}`);
  await sayMany(visitor, MESSAGES, (at) =>
    at === 40 || at === 290 ? `${word} number ${at}` : `line ${at} of a long story`,
  );
  await expect(row(agent, `Lou ${stamp}`)).toContainText(`line ${MESSAGES - 1} `);

  // Opens at the first unread message, with a button to the newest.
  await row(agent, `Lou ${stamp}`).click();
  await expect(agent.locator("[data-divider]")).toBeInViewport();
  expect(await bubbles(agent).count()).toBeLessThan(ROWS_MAX);
  await expect(row(agent, `Lou ${stamp}`)).not.toContainText("Unread");
  const toNewest = agent.getByRole("button", { name: "Jump to latest" });
  await toNewest.click();
  await expect(bubbles(agent).last()).toBeInViewport();
  await expect(toNewest).toHaveCount(0);
  await log(agent).evaluate((box) => box.scrollTo(0, 300));
  await expect(toNewest).toBeVisible();
  await say(visitor, "One more");
  await agent.getByRole("button", { name: "New messages" }).click();
  await expect(bubbles(agent).last()).toHaveText("One more");
  await expect(bubbles(agent).last()).toBeInViewport();

  await agent.getByLabel("Search all messages").fill(word);
  await agent.getByLabel("Search all messages").press("Enter");
  const hits = agent.getByRole("region", { name: "Messages" }).getByRole("link");
  await expect(hits).toHaveCount(2);
  await hits.filter({ hasText: "number 40" }).click();
  await expect(marked(agent)).toContainText(`${word} number 40`);
  await expect(marked(agent)).toBeInViewport({ ratio: 1 });
  await hits.filter({ hasText: "number 290" }).click();
  await expect(marked(agent)).toContainText(`${word} number 290`);
  await expect(marked(agent)).toBeInViewport({ ratio: 1 });
  await expect(marked(agent)).toHaveCount(1);
  // The URL can be shared with a colleague.
  await agent.goto(agent.url().replace(/#message-\d+/, "#message-42"));
  await expect(marked(agent)).toContainText(`${word} number 40`);
  await expect(marked(agent)).toBeInViewport({ ratio: 1 });
  // A new message does not scroll the reader away.
  await say(visitor, "Are you reading?");
  await expect(agent.getByRole("button", { name: "New messages" })).toBeVisible();
  await expect(marked(agent)).toBeInViewport({ ratio: 1 });
  for (const page of [agent, visitor]) await page.context().close();
});

test("renders only part of 10,000 messages, loads earlier ones where the reader is, and finds the first one by its link", {
  tag: "@nightly",
}, async ({ browser, copy, page: visitor }) => {
  test.setTimeout(180_000);
  const { agent, name } = await meet({ browser, copy, page: visitor }, "Tolstoy");
  for (const tab of [agent, visitor]) allowConsole(tab, CUT_OFF);
  await agent.waitForURL(/support\//);
  const id = new URL(agent.url()).pathname.split("/").at(-1) ?? "";
  // Neither page is told of each of them when it reconnects.
  for (const tab of [agent, visitor]) await tab.goto("about:blank");
  await copy.stop();
  fillConversation(copy.stateDir, id, LONG);
  await copy.start();
  let frames = 0;
  agent.on("websocket", (socket) => {
    if (socket.url().includes(id)) socket.on("framereceived", () => ++frames);
  });
  const pages: string[] = [];
  agent.on("request", (request) => {
    if (request.url().includes("before=")) pages.push(request.url());
  });
  await agent.goto(`/admin/support/${id}`);
  await expect(bubbles(agent).last()).toHaveText(new RegExp(`^message ${LONG}: `));
  await expect(bubbles(agent).last()).toBeInViewport({ ratio: 0.9 });
  expect(frames).toBeLessThan(20);
  expect(pages).toEqual([]);
  expect(await bubbles(agent).count()).toBeLessThan(ROWS_MAX);
  await expect(agent.locator("[data-day]").last()).toHaveText("Today");

  // What is read stays in its place while the page before it arrives.
  const read = agent.getByText(`message ${LONG - OPENING_MESSAGES + 3}: `);
  await read.scrollIntoViewIfNeeded();
  await expect.poll(() => pages.length).toBeGreaterThan(0);
  await expect(read).toBeInViewport();
  // Again and again, because an arriving page moves the reader down with what they read.
  const upwards = async () => {
    await log(agent).evaluate((box) => box.scrollTo(0, 0));
    return pages.length;
  };
  await expect.poll(upwards).toBeGreaterThan(3);
  expect(await bubbles(agent).count()).toBeLessThan(ROWS_MAX);
  const article = agent.getByRole("article").first();
  await expect(article).toHaveAttribute("aria-setsize", String(LONG));
  // Read at once, because rows come and go.
  const [position, seq] = await article.evaluate((row) => [
    row.getAttribute("aria-posinset"),
    row.querySelector("[data-seq]")?.getAttribute("data-seq"),
  ]);
  expect(position).toBe(seq);

  // A message from this side is shown from anywhere.
  await agent.getByLabel("Your message").fill("We found it");
  await agent.getByRole("button", { name: "Send message" }).click();
  await expect(bubbles(agent).last()).toHaveText("We found it");
  await expect(bubbles(agent).last()).toBeInViewport();
  await expect(row(agent, name)).toContainText("We found it");

  await agent.goto(`/admin/support/${id}#message-2`);
  await agent.reload();
  await expect(marked(agent)).toHaveText(/message 2: /, { timeout: 30_000 });
  await expect(marked(agent)).toBeInViewport({ ratio: 0.9 });
  await expect(marked(agent)).toBeFocused();
  expect(await bubbles(agent).count()).toBeLessThan(ROWS_MAX);
  await agent.getByRole("button", { name: "Jump to latest" }).click();
  await expect(bubbles(agent).last()).toHaveText("We found it");
  await expect(bubbles(agent).last()).toBeInViewport();

  // The visitor gets the newest ones too, and the earlier ones by a button.
  await visitor.goto("/");
  await expect(bubbles(visitor).last()).toHaveText("We found it");
  await expect(bubbles(visitor)).toHaveCount(OPENING_MESSAGES);
  await visitor.getByRole("button", { name: "Show earlier messages" }).click();
  await expect(bubbles(visitor)).toHaveCount(2 * OPENING_MESSAGES);
  await agent.context().close();
});

test("keeps notes and drafts apart by keyboard, announces and counts a reply once, opens a search hit, and keeps both if closing fails", async ({
  browser,
  copy,
  page: visitor,
}) => {
  const { agent, name } = await meet({ browser, copy, page: visitor }, "Nell");

  const noteAnswered = Promise.withResolvers<void>();
  await test.step("keeps notes apart from replies, each with its own draft", async () => {
    await expect(agent.getByText(`To ${name}`)).toBeVisible();
    await expect(agent.getByRole("log")).toBeFocused();
    await agent.keyboard.press("r");
    await expect(agent.getByLabel("Your message")).toBeFocused();
    await agent.keyboard.type("for the visitor");
    await expect(agent.getByLabel("Your message")).toHaveValue("for the visitor");
    await agent.keyboard.press("Escape");
    await expect(agent.getByRole("log")).toBeFocused();
    await agent.keyboard.press("n");
    await expect(agent.getByLabel("Your note")).toBeFocused();
    await expect(agent.getByText("Only your team sees this")).toBeVisible();
    await expect(agent.getByRole("button", { name: "Send message" })).toHaveCount(0);
    await expect(agent.getByLabel("Your note")).toHaveValue("");
    await agent.keyboard.type("for the team");
    await agent.route(
      /\/actions$/,
      async (route) => {
        const response = await route.fetch();
        await noteAnswered.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await agent.keyboard.press("Enter");
    await expect(agent.locator("[data-note]")).toContainText("for the team");
    await agent.keyboard.type(", and more");
    await agent.getByRole("button", { name: "Reply", exact: true }).click();
    await expect(agent.getByLabel("Your message")).toHaveValue("for the visitor");
    await expect(bubbles(visitor)).toHaveCount(1);
  });

  await test.step("announces a reply once and no earlier message, and counts it until it is read", async () => {
    const messages = visitor.getByRole("log", { name: "Messages" });
    // The defaults of a log: polite, additions only.
    for (const off of ["aria-live", "aria-relevant", "aria-busy"]) await expect(messages).not.toHaveAttribute(off);
    await messages.evaluate((element) => {
      const added: string[] = [];
      Object.assign(window, { added });
      new MutationObserver((records) => {
        for (const { addedNodes } of records) for (const node of addedNodes) added.push(node.textContent ?? "");
      }).observe(element, { childList: true });
    });
    await agent.getByLabel("Your message").press("Enter");
    await expect(bubbles(visitor)).toHaveText([/^Hi Nell/, "for the visitor"]);
    noteAnswered.resolve();
    await agent.getByRole("button", { name: "Note", exact: true }).click();
    await expect(agent.getByLabel("Your note")).toHaveValue(", and more");
    // The same text as before is another note, too.
    await agent.getByLabel("Your note").fill("for the team");
    await agent.getByLabel("Your note").press("Enter");
    await expect(agent.locator("[data-note]")).toHaveCount(2);
    await agent.getByRole("button", { name: "Reply", exact: true }).click();
    const added = await visitor.evaluate(() => Reflect.get(window, "added"));
    expect(added).toEqual([expect.stringContaining("for the visitor")]);

    await expect(agent.getByText("· Seen")).toBeVisible();
    await visitor.getByRole("button", { name: "Close chat" }).click();
    await say(agent, "while it was closed");
    const badge = visitor.getByRole("button", { name: "Open support chat, 1 new" });
    await expect(badge).toBeVisible();
    await expect(visitor).toHaveTitle(/^\(1\) /);
    await badge.click();
    await expect(bubbles(visitor).last()).toHaveText("while it was closed");
    await expect(visitor).not.toHaveTitle(/^\(/);
  });

  await test.step("shows an error and keeps the page and the draft if closing the conversation fails", async () => {
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
  });

  await test.step("opens the conversation at a search hit, and marks it", async () => {
    const word = `pin${Date.now()}`;
    await say(visitor, word);
    await expect(row(agent, name)).toContainText(word);
    await openHit(agent, word);
    await expect(marked(agent)).toContainText(word);
    await expect(marked(agent)).toBeInViewport({ ratio: 1 });
  });
  await agent.context().close();
});

test("follows or offers new messages after a search hit", { tag: "@nightly" }, async ({
  browser,
  copy,
  page: visitor,
}) => {
  const { agent, name } = await meet({ browser, copy, page: visitor }, "Nora");
  const word = `pin${Date.now()}`;
  await say(visitor, word);
  await expect(row(agent, name)).toContainText(word);
  await openHit(agent, word);
  await expect(marked(agent)).toContainText(word);
  await sayMany(visitor, 25, (at) => `line ${at}`);
  await expect(bubbles(agent).last()).toHaveText("line 24");
  await expect(bubbles(agent).last()).toBeInViewport();
  // Away from the end, a new message is only offered.
  await agent.getByRole("log").evaluate((box) => box.scrollTo(0, 0));
  await say(visitor, "and the end");
  await agent.getByRole("button", { name: "New messages" }).click();
  await expect(bubbles(agent).last()).toHaveText("and the end");
  await expect(bubbles(agent).last()).toBeInViewport();
  await agent.context().close();
});

test("marks Conversations while one is open, and scrolls the current tab into view on a phone", {
  tag: "@nightly",
}, async ({ browser, copy }) => {
  const admin = await openConsole(browser, copy, "admin");
  const name = `Nav ${Date.now()}`;
  const visitor = await newPage(browser, copy);
  await startChat(visitor, name);
  await say(visitor, "Hello");
  await row(admin, name).click();
  await admin.waitForURL(/support/);
  const current = admin.getByRole("navigation", { name: "Console" }).locator("[aria-current]:visible");
  await expect(current).toHaveText(["Support", "Conversations"]);
  await admin.setViewportSize({ width: 390, height: 844 });
  for (const path of [...NAVIGATED, ...FAR_RIGHT]) {
    await admin.goto(path);
    await expect(current, path).toHaveCount(1);
    await expect(current, path).toHaveAttribute("href", path);
    // Not 1: the last one may end in the middle of a pixel.
    await expect(current, path).toBeInViewport({ ratio: 0.95 });
  }
  for (const page of [admin, visitor]) await page.context().close();
});

test("leaves room for the visitor's presence beside a long name, and for the details below forty tags, on a phone", {
  tag: "@nightly",
}, async ({ browser, copy, page: visitor }) => {
  const name = `${"Wolfeschlegel-steinhausen ".repeat(3)}${Date.now()}`;
  await visitor.goto("/");
  await openChat(visitor);
  await visitor.getByLabel("Your name").fill(name);
  await visitor.getByLabel("Your email (optional)").fill(`${"a-long-address.".repeat(6)}x@long-subdomain.test.example`);
  await visitor.getByRole("button", { name: "Start Chat" }).click();
  const agent = await openConsole(browser, copy, "agent", { viewport: { width: 390, height: 844 } });
  await row(agent, name).click();
  await expect(agent.getByText("online", { exact: true })).toBeInViewport({ ratio: 1 });
  await agent.evaluate(async () => {
    for (let at = 1; at <= 40; at++) {
      const body = JSON.stringify({ action: "tag", tag: `${at} ${"m".repeat(26)}`, isOn: true });
      const { status } = await fetch(`${location.pathname}/actions`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body,
      });
      if (status !== 204) throw new Error(`tag ${at}: ${status}`);
    }
  });
  await agent.getByRole("button", { name: "Details" }).click();
  const tags = agent.getByRole("list", { name: "Tags" }).getByRole("listitem");
  await expect(tags).toHaveCount(12);
  await agent.getByRole("button", { name: "Show all 40 tags" }).click();
  await expect(tags).toHaveCount(40);
  // The limit is reached.
  await expect(agent.getByLabel("New tag")).toHaveCount(0);
  await agent.getByRole("button", { name: /^Remove tag 7 / }).click();
  await expect(tags).toHaveCount(39);
  await agent.getByLabel("New tag").fill("<b>");
  await agent.getByLabel("New tag").press("Enter");
  await expect(agent.getByRole("alert")).toHaveText(/Start a tag with a letter or a digit/);
  await expect(agent.getByLabel("New tag")).toHaveValue("<b>");
  expect(await agent.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await agent.context().close();
});

function log(page: Page) {
  return page.getByRole("log", { name: "Messages" });
}

/** Searches all messages for a word that one message has, and opens it. */
async function openHit(agent: Page, word: string): Promise<void> {
  await agent.getByLabel("Search all messages").fill(word);
  await agent.getByLabel("Search all messages").press("Enter");
  await agent.getByRole("region", { name: "Messages" }).getByRole("link").click();
}

function marked(page: Page) {
  return page.locator("[data-marked]");
}

/** Sends messages over HTTP, and slows down when the room limits their rate. */
async function sayMany(page: Page, count: number, text: (at: number) => string): Promise<void> {
  const bodies = Array.from({ length: count }, (_, at) => text(at));
  await page.evaluate(async (texts) => {
    const path = `/support/sessions/${localStorage.getItem("support_session_id")}/messages`;
    for (const [at, body] of texts.entries()) {
      for (let sent = false; !sent; ) {
        const response = await fetch(path, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ clientId: `many-${at}`, body }),
        });
        sent = response.ok;
        if (!sent) await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }, bodies);
}
