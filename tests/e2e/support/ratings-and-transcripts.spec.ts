import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { emailTo } from "#tests/e2e/received-emails.ts";
import { attach, bubbles, CUT_OFF, meet, openConsole, PNG, row, say, startChat } from "./chat-steps.ts";

const WIDTHS = [390, 1280];

for (const theme of ["dark", "light"] as const) {
  test(`axe finds no violation in the chat and the console in the ${theme} theme`, async ({ browser, page, copy }) => {
    test.setTimeout(120_000);
    const agent = await openConsole(browser, copy, "agent");
    await agent.evaluate((chosen) => localStorage.setItem("theme", chosen), theme);
    await agent.reload();
    await page.addInitScript((chosen) => localStorage.setItem("theme", chosen), theme);
    await page.goto("/");
    await page.getByRole("button", { name: "Open support chat" }).click();
    await expect(page.getByLabel("Your name")).toBeVisible();
    await check(page);
    const name = `Axel ${theme} ${Date.now()}`;
    await startChat(page, name);
    await say(page, "A question");
    await row(agent, name).click();
    await say(agent, "An answer");
    await attach(page, { name: "cat.png", mimeType: "image/png", buffer: PNG });
    await expect(page.getByRole("img", { name: "cat.png" })).toBeVisible();
    await expect(agent.getByRole("img", { name: "cat.png" })).toBeVisible();
    await check(page);
    await check(agent);
    await agent.getByRole("button", { name: "Close", exact: true }).click();
    await expect(page.getByText("This conversation is closed.")).toBeVisible();
    await check(page);
    await page.getByRole("button", { name: "Minimize chat" }).click();
    await check(page);
    await agent.context().close();
  });
}

test("focus moves into the chat, stays there and returns to the button", async ({ page }) => {
  await page.goto("/");
  const launcher = page.getByRole("button", { name: "Open support chat" });
  await launcher.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByLabel("Your name")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByText("Please enter your name")).toBeVisible();
  await expect(page.getByLabel("Your name")).toBeFocused();
  await page.keyboard.type("Fay");
  await page.keyboard.press("Enter");
  await expect(page.getByPlaceholder("Type your message...")).toBeFocused();
  await page.getByRole("button", { name: "Minimize chat" }).press("Enter");
  await expect(page.getByRole("button", { name: /^Support Chat/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByPlaceholder("Type your message...")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(launcher).toBeFocused();
});

test("announces a new message once and no earlier one", async ({ browser, page, copy }) => {
  const agent = await openConsole(browser, copy, "agent");
  const name = `Anna ${Date.now()}`;
  await startChat(page, name);
  const log = page.getByRole("log", { name: "Messages" });
  // The defaults of a log: polite, additions only.
  await expect(log).toHaveAttribute("role", "log");
  for (const off of ["aria-live", "aria-relevant", "aria-busy"]) await expect(log).not.toHaveAttribute(off);
  await log.evaluate((element) => {
    const added: string[] = [];
    Object.assign(window, { added });
    new MutationObserver((records) => {
      for (const { addedNodes } of records) for (const node of addedNodes) added.push(node.textContent ?? "");
    }).observe(element, { childList: true });
  });
  await row(agent, name).click();
  await say(agent, "Listen to this");
  await expect(bubbles(page)).toHaveCount(2);
  const added = await page.evaluate(() => (window as unknown as { added: string[] }).added);
  expect(added).toEqual([expect.stringContaining("Listen to this")]);
  await agent.context().close();
});

test("at 200 % zoom the chat is complete, and with reduced motion nothing moves", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 640, height: 360 });
  await startChat(page, "Zoe");
  const input = page.getByPlaceholder("Type your message...");
  for (const part of [input, page.getByRole("button", { name: "Close chat" }), page.getByRole("log")]) {
    await expect(part).toBeInViewport({ ratio: 1 });
  }
  const height = await page.getByRole("log").evaluate((element) => element.clientHeight);
  expect(height).toBeGreaterThan(80);
  const moving = await page.evaluate(
    () => document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().duration) > 1).length,
  );
  expect(moving).toBe(0);
});

test("reading in one tab clears the badge in the other, and title alerts can be turned off", async ({
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

test("a visitor sees whether the team is online, sends a PDF, and rates and emails a closed conversation", async ({
  browser,
  page,
  copy,
}) => {
  allowConsole(page, CUT_OFF);
  const agent = await openConsole(browser, copy, "agent");
  const name = `Rita ${Date.now()}`;
  await startChat(page, name);
  await expect(page.getByText("The team is online")).toBeVisible();
  await row(agent, name).click();
  await expect(page.getByText("An agent is here")).toBeVisible();

  await attach(page, { name: "bill.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\n") });
  const download = agent.waitForEvent("download");
  await agent.getByRole("link", { name: /bill\.pdf/ }).click();
  expect((await download).suggestedFilename()).toBe("bill.pdf");
  await attach(page, { name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("text") });
  await expect(page.getByText("You can only send images and PDFs.")).toBeVisible();
  await attach(page, { name: "fake.png", mimeType: "image/png", buffer: Buffer.from("<html>") });
  await expect(page.getByText("Not sent")).toBeVisible();

  await agent.getByRole("button", { name: "Note", exact: true }).click();
  await agent.getByLabel("Your note").fill("between us");
  await agent.getByRole("button", { name: "Save note" }).click();
  await expect(agent.getByText("Team note")).toBeVisible();
  await agent.getByRole("button", { name: "Close", exact: true }).click();
  await expect(bubbles(page).last()).toBeInViewport();
  await page.getByRole("button", { name: "Good" }).click();
  await expect(bubbles(agent).last()).toHaveText(`${name} rated this conversation: Good`);
  await expect(bubbles(page).filter({ hasText: "You rated this: Good" })).toHaveCount(1);
  await page.getByLabel("Email for the transcript").fill("rita@test.example");
  await page.getByRole("button", { name: "Email transcript" }).click();
  await expect(page.getByText("Transcript sent to rita@test.example")).toBeVisible();
  const mail = await emailTo(copy, "rita@test.example", /^Your conversation/);
  const zone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(mail.text).toContain(`Times are in ${zone}.`);
  expect(mail.text).toMatch(/Support Bot, .+\n {2}Hi Rita/);
  expect(mail.text).toContain(`${name} rated this conversation: Good`);
  const link = /http\S+\/files\/\w+/.exec(mail.text)?.[0] ?? "";
  expect(mail.html).toContain(`<a href="${link}">bill.pdf</a>`);
  expect((await page.request.get(link)).status()).toBe(200);
  for (const part of [mail.text, mail.html]) expect(part).not.toContain("between us");
  await agent.context().close();
});

async function check(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const { violations } = await new AxeBuilder({ page }).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
    expect(found, `${page.url()} at ${width} px`).toEqual([]);
  }
}
