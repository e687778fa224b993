import type { Page } from "@playwright/test";
import type { InboxPage } from "#app/support/inbox/inbox-view.ts";
import { openFromMenu } from "#tests/e2e/console-steps.ts";
import { expect, otherPage, test } from "#tests/e2e/fixtures.ts";
import {
  bubbles,
  closeAndReturn,
  newPage,
  openChat,
  openConsole,
  row,
  say,
  startChat,
  untilLooked,
} from "./chat-steps.ts";

const SECRET = "Check the refund first";

test("keeps two agents and two visitors up to date without a reload", { tag: "@nightly" }, async ({
  browser,
  copy,
}) => {
  test.setTimeout(180_000);
  const ada = await openConsole(browser, copy, "agent");
  const bo = await openConsole(browser, copy, "admin");
  const stamp = Date.now();
  const names = [`Uma ${stamp}`, `Wes ${stamp}`] as const;
  const visitors = await Promise.all(names.map(() => newPage(browser, copy)));
  const [uma, wes] = visitors as [Page, Page];
  for (const [at, page] of visitors.entries()) {
    await startChat(page, names[at] ?? "");
    await say(page, `Question ${at}`);
  }
  for (const agent of [ada, bo]) for (const name of names) await expect(row(agent, name)).toContainText("Unread");

  // One agent views, the other replies.
  await row(ada, names[0]).click();
  await row(bo, names[0]).click();
  await expect(ada.getByText("Demo Admin is also viewing this conversation")).toBeVisible();
  await expect(bo.getByText("Demo Agent is also viewing this conversation")).toBeVisible();
  await ada.getByLabel("Your message").fill("I am");
  await expect(bo.getByText("Demo Agent is replying")).toBeVisible();
  await expect(uma.getByText("Demo Agent is typing…").first()).toBeVisible();

  // The visitor's current page.
  await expect(bo.getByRole("complementary", { name: "Details" }).getByText("On /", { exact: false })).toBeVisible();

  // Assignment.
  await bo.getByLabel("Assigned to").selectOption({ label: "Demo Agent" });
  await expect(ada.getByLabel("Assigned to")).toHaveValue(/.+/);
  await expect(row(ada, names[0])).toContainText("Demo Agent");
  await expect(row(bo, names[0])).toContainText("Demo Agent");

  // A note, hidden from the visitor.
  await bo.getByRole("button", { name: "Note", exact: true }).click();
  await bo.getByLabel("Your note").fill(SECRET);
  await bo.getByLabel("Your note").press("Enter");
  await expect(ada.getByText(SECRET)).toBeVisible();
  await say(ada, "It is on its way.");
  await expect(bubbles(uma).last()).toHaveText("It is on its way.");
  await expect(uma.getByText(SECRET)).toHaveCount(0);

  // Tags.
  await ada.getByLabel("New tag").fill("refund");
  await ada.getByLabel("New tag").press("Enter");
  await expect(row(bo, names[0])).toContainText("refund");

  // Closes, and reopens on a new message.
  await closeAndReturn(ada, names[0]);
  await expect(row(bo, names[0])).toHaveCount(0);
  await expect(uma.getByText("This conversation is closed.")).toBeVisible();
  await say(uma, "One more thing");
  await expect(row(bo, names[0])).toContainText("One more thing");
  await expect(ada.getByRole("button", { name: "Close", exact: true })).toBeVisible();

  // Block.
  await row(bo, names[1]).click();
  await bo.waitForURL(/support/);
  await expect(bo.getByRole("heading", { name: names[1] })).toBeVisible();
  await bo.getByRole("button", { name: "Block visitor" }).click();
  await expect(row(ada, names[1])).toHaveCount(0);
  await expect(wes.getByText("You can't send messages in this conversation.")).toBeVisible();
  await expect(wes.getByPlaceholder("Type your message...")).toHaveCount(0);
  await expect(wes.getByText(/reopen it/)).toHaveCount(0);
  await wes.reload();
  await openChat(wes);
  await expect(wes.getByText("You can't send messages in this conversation.")).toBeVisible();
  await bo.getByRole("button", { name: "Unblock visitor" }).click();
  await expect(bo.getByRole("button", { name: "Block visitor" })).toBeVisible();
  await expect(wes.getByText("You can't send messages in this conversation.")).toHaveCount(0);
  await say(wes, "Hello?");
  await expect(row(ada, names[1])).toContainText("Hello?");

  // Both screens show the database's counters.
  const counts = await ada.evaluate(async () => ((await (await fetch("/admin/inbox")).json()) as InboxPage).counts);
  for (const agent of [ada, bo]) {
    await expect(agent.getByRole("link", { name: `Open ${counts.open}`, exact: true })).toBeVisible();
  }
  await openFromMenu(bo, "System", "Audit log");
  await expect(bo.getByRole("row", { name: /Demo Admin blocked/ })).not.toHaveCount(0);
  for (const page of [ada, bo, ...visitors]) await page.context().close();
});

test("replies, closes and moves on to the next unread conversation by keyboard alone", { tag: "@nightly" }, async ({
  browser,
  copy,
}) => {
  test.setTimeout(120_000);
  const stamp = Date.now();
  const first = await newPage(browser, copy);
  await startChat(first, `Kim ${stamp}`);
  await say(first, "First question");
  const second = await newPage(browser, copy);
  await startChat(second, `Lou ${stamp}`);
  await say(second, "Second question");

  const agent = await openConsole(browser, copy, "agent");
  const keys = agent.keyboard;
  await expect(row(agent, `Lou ${stamp}`)).toContainText("Unread");
  await expect(row(agent, `Kim ${stamp}`)).toContainText("Unread");
  await keys.press("?");
  await expect(agent.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await keys.press("Escape");
  await expect(agent.getByRole("dialog")).toHaveCount(0);

  // The newest is on top: Lou, then Kim.
  await keys.press("u");
  await expect(row(agent, `Lou ${stamp}`)).toBeFocused();
  await keys.press("Enter");
  // The keys are commands until the agent wants to write.
  await expect(agent.getByRole("log")).toBeFocused();
  await keys.press("r");
  await expect(agent.getByLabel("Your message")).toBeFocused();
  await keys.type("Let me look.");
  await keys.press("Enter");
  await expect(bubbles(second).last()).toHaveText("Let me look.");
  await keys.type("rune");
  await expect(agent.getByLabel("Your message")).toHaveValue("rune");
  await agent.getByLabel("Your message").clear();
  await keys.press("Escape");
  await expect(agent.getByRole("log")).toBeFocused();
  await keys.press("n");
  await expect(agent.getByLabel("Your note")).toBeFocused();
  await keys.type("Asked about an order");
  await keys.press("Enter");
  await expect(agent.locator("[data-note]")).toContainText("Asked about an order");
  await keys.press("Escape");
  await keys.press("a");
  await expect(row(agent, `Lou ${stamp}`)).toContainText("Demo Agent");
  await keys.press("e");
  await expect(row(agent, `Lou ${stamp}`)).toHaveCount(0);
  // Closing went on to the next one.
  await expect(agent.getByRole("heading", { name: `Kim ${stamp}` })).toBeVisible();
  await expect(agent.getByRole("log")).toBeFocused();
  await keys.press("k");
  await expect(row(agent, `Kim ${stamp}`)).toBeFocused();
  await keys.press("r");
  await keys.type("On it");
  await keys.press("Enter");
  await expect(bubbles(first).last()).toHaveText("On it");
  await keys.press("Escape");
  await keys.press("/");
  await expect(agent.getByLabel("Search all messages")).toBeFocused();
  await keys.type(`Kim ${stamp}`);
  await keys.press("Enter");
  await expect(agent.getByRole("heading", { name: "People" })).toBeVisible();
  await keys.press("Escape");
  await keys.press("4");
  await agent.waitForURL(/view=closed/);
  await expect(row(agent, `Lou ${stamp}`)).toContainText("Closed");
  for (const page of [first, second, agent]) await page.context().close();
});

test("shows the customer's account and orders beside the thread, without tools that move money", async ({
  browser,
  copy,
}) => {
  const agent = await openConsole(browser, copy, "agent");
  const ordered = await fetch(`${copy.url}/api/v2`, {
    method: "POST",
    body: new URLSearchParams({
      key: copy.demo.customer.apiKey ?? "",
      action: "add",
      service: "1",
      link: "https://instagram.com/growline",
      quantity: "1000",
    }),
  });
  const { order } = (await ordered.json()) as { order: number };
  const customer = await otherPage(browser, copy, "customer");
  // Another test may have begun the account's conversation.
  await untilLooked(customer);
  await openChat(customer);
  const message = customer.getByPlaceholder("Type your message...");
  const start = customer.getByRole("button", { name: "Start Chat" });
  await expect(message.or(start)).toBeVisible();
  if (await start.isVisible()) await start.click();
  await say(customer, "About my order");
  await row(agent, "Demo Customer").click();
  const details = agent.getByRole("complementary", { name: "Details" });
  await expect(details.getByRole("heading", { name: "Account" })).toBeVisible();
  await expect(details).toContainText(copy.demo.customer.email);
  await expect(details).toContainText(/\$\d/);
  for (const region of ["Visitor", "Pages seen"]) {
    const section = details.getByRole("region", { name: region });
    await expect(section.getByText("/dashboard", { exact: true })).toBeVisible();
  }
  await expect(details.getByRole("link", { name: `Order ${order}` })).toBeVisible();
  await expect(agent.getByRole("link", { name: "Customers" })).toHaveCount(0);
  await agent.context().close();
  await customer.context().close();
});
