import type { Page } from "@playwright/test";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { bubbles, CUT_OFF, controlConnection, openChat, openConsole, row } from "./chat-steps.ts";

const LIMIT = 4000;
const RATE_LIMITED = "Too many chats were started from your network. Please try again in an hour.";

test("sends a message typed before the start after the welcome message", async ({ browser, copy, page }) => {
  const agent = await openConsole(browser, copy, "agent");
  const name = `Fia ${Date.now()}`;
  await fillStart(page, name, "Where is my order?");
  await messageField(page).press("Shift+Enter");
  await messageField(page).pressSequentially("Number 4711.");
  await messageField(page).press("Enter");
  const sent = "Where is my order?\nNumber 4711.";
  await expect(bubbles(page)).toHaveText(
    [`Hi ${name}! Welcome to our support chat. How can we help you today?`, sent],
    {
      useInnerText: true,
    },
  );
  await expect(page.getByText("· Sent")).toBeVisible();
  await expect(page.getByPlaceholder("Type your message...")).toHaveValue("");
  await row(agent, name).click();
  await expect(bubbles(agent)).toHaveCount(2);
  await agent.context().close();
});

test("keeps what was typed through a reload, a wrong email, a rate limit and a failed start", async ({ page }) => {
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
  await start(page);
  await expect(bubbles(page)).toHaveText([/^Hi Kim/, "Hello there"]);
});

test("says that a message is too long and starts nothing with it, and needs none", async ({ page }) => {
  let starts = 0;
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/support/session")) starts += 1;
  });
  await fillStart(page, "Lo", "x".repeat(LIMIT + 2));
  await expect(page.getByText("2 over the limit of 4,000 characters.")).toBeVisible();
  await start(page);
  await expect(messageField(page)).toBeFocused();
  await expect(messageField(page)).toHaveAttribute("aria-invalid", "true");
  expect(starts).toBe(0);
  await messageField(page).fill("  \n ");
  await start(page);
  await expect(bubbles(page)).toHaveText([/^Hi Lo/]);
});

test("sends it once when the page is lost between the start and its response", async ({ page }) => {
  await fillStart(page, "Mia", "Only once");
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

test("sends it once when the page is lost between the start and the sending", async ({ context, page }) => {
  allowConsole(page, CUT_OFF);
  const connection = await controlConnection(context);
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

test("moves what was typed into the message field when another tab starts the conversation", async ({
  context,
  page,
}) => {
  await fillStart(page, "Nia", "Not yet sent");
  const other = await context.newPage();
  await fillStart(other, "Nia", "Sent");
  await start(other);
  await expect(bubbles(page)).toHaveText([/^Hi Nia/, "Sent"]);
  await expect(page.getByPlaceholder("Type your message...")).toHaveValue("Not yet sent");
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
