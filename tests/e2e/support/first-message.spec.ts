import type { Page, Request } from "@playwright/test";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, CUT_OFF, controlConnection, openChat, say } from "./chat-steps.ts";

const LIMIT = 4000;
const RATE_LIMITED = "Too many chats were started from your network. Please try again in an hour.";

test("keeps a first message through a reload, a wrong email and failed starts, and sends it after the welcome message", {
  tag: "@nightly",
}, async ({ page }) => {
  allowConsole(page, /429|503/);
  await fillStart(page, "Kim", "Hello there");
  await page.reload();
  await openChat(page);
  await expect(messageField(page)).toHaveValue("Hello there");
  await expect(page.getByLabel("Your name")).toHaveValue("Kim");

  await page.getByLabel("Your email").fill("nowhere");
  await start(page);
  await expect(page.getByLabel("Your email")).toBeFocused();
  await page.getByLabel("Your email").fill("");
  for (const [status, error] of [
    [429, RATE_LIMITED],
    [503, "Failed to create or retrieve session data"],
  ] as const) {
    await page.route("**/support/session", (route) => route.fulfill({ status, json: { error } }), { times: 1 });
    await start(page);
    await expect(page.getByRole("dialog").getByText(error)).toBeVisible();
    await expect(messageField(page)).toHaveValue("Hello there");
  }

  await test.step("says that a message is too long, and starts nothing with it", async () => {
    let starts = 0;
    const count = (request: Request) => {
      if (request.method() === "POST" && request.url().endsWith("/support/session")) starts += 1;
    };
    page.on("request", count);
    await messageField(page).fill("x".repeat(LIMIT + 2));
    await expect(page.getByText("2 over the limit of 4,000 characters.")).toBeVisible();
    await start(page);
    await expect(messageField(page)).toBeFocused();
    await expect(messageField(page)).toHaveAttribute("aria-invalid", "true");
    expect(starts).toBe(0);
    page.off("request", count);
  });

  await messageField(page).fill("Where is my order?");
  await messageField(page).press("Shift+Enter");
  await messageField(page).pressSequentially("Number 4711.");
  await messageField(page).press("Enter");
  const welcome = "Hi Kim! Welcome to our support chat. How can we help you today?";
  await expect(bubbles(page)).toHaveText([welcome, "Where is my order?\nNumber 4711."], { useInnerText: true });
  await expect(page.getByText("· Sent")).toBeVisible();
  await expect(page.getByPlaceholder("Type your message...")).toHaveValue("");
});

test("sends a first message once though the page is lost while it starts or sends, and forgets a thread without access", async ({
  context,
  page,
}) => {
  allowConsole(page, CUT_OFF);
  const connection = await controlConnection(context);

  await test.step("the page is lost between the start and the sending", async () => {
    await connection.cut();
    await fillStart(page, "Moa", "Still here");
    await start(page);
    await expect(page.getByText("Sending…")).toBeVisible();
    await page.reload();
    connection.restore();
    await openChat(page);
    await expect(bubbles(page)).toHaveText([/^Hi Moa/, "Still here"]);
    await expect(page.getByText("· Sent")).toBeVisible();
  });

  await test.step("forgets the thread of a conversation that its visitor has no access to", async () => {
    await context.clearCookies();
    await page.reload();
    await expect(page.getByRole("button", { name: "Start Chat" })).toBeVisible();
    await expect(bubbles(page)).toHaveCount(0);
    await expect.poll(() => page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("Still here");
  });

  await test.step("the page is lost between the start and its response", async () => {
    await page.getByLabel("Your name").fill("Mia");
    await messageField(page).fill("Only once");
    let reached = () => {};
    const isStarted = new Promise<void>((resolve) => {
      reached = resolve;
    });
    await page.route(
      "**/support/session",
      async (route) => {
        // The server answers, and the page never hears of it.
        await route.fetch();
        reached();
      },
      { times: 1 },
    );
    await start(page);
    await isStarted;
    await page.reload();
    await openChat(page);
    await expect(bubbles(page)).toHaveText([/^Hi Mia/, "Only once"]);
  });
});

test("starts one session when two tabs start a chat at once, and keeps what was typed when another tab starts it", async ({
  context,
  page,
}) => {
  const other = await context.newPage();
  await fillStart(page, "Nia", "Not yet sent");
  await fillStart(other, "Nia", "Sent");
  await start(other);
  await expect(bubbles(page)).toHaveText([/^Hi Nia/, "Sent"]);
  await expect(page.getByPlaceholder("Type your message...")).toHaveValue("Not yet sent");

  await test.step("starts one session with one welcome message", async () => {
    await context.clearCookies();
    await page.reload();
    await other.reload();
    for (const tab of [page, other]) {
      await expect(tab.getByRole("button", { name: "Start Chat" })).toBeVisible();
      await tab.getByLabel("Your name").fill("Tess");
      await messageField(tab).fill("");
    }
    const ids: unknown[] = [];
    context.on("response", async (response) => {
      if (response.request().method() !== "POST" || !response.url().endsWith("/support/session")) return;
      ids.push((await response.json()).session.session_id);
    });
    await Promise.all([page, other].map((tab) => tab.getByLabel("Your name").press("Enter")));
    for (const tab of [page, other]) await expect(bubbles(tab)).toHaveText([/^Hi Tess/]);
    await say(page, "from one tab");
    await expect(bubbles(other)).toHaveCount(2);
    expect(new Set(ids).size).toBe(1);
  });
});

async function fillStart(page: Page, name: string, message: string): Promise<void> {
  await page.goto("/");
  await openChat(page);
  await page.getByLabel("Your name").fill(name);
  await messageField(page).fill(message);
}

function messageField(page: Page) {
  return page.getByLabel("Your message (optional)");
}

function start(page: Page): Promise<void> {
  return page.getByRole("button", { name: "Start Chat" }).click();
}
