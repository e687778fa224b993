import { allowConsole, expect, test } from "#tests/e2e/fixtures.ts";
import { emailTo } from "#tests/e2e/received-emails.ts";
import { attach, bubbles, CUT_OFF, closeAndReturn, openConsole, row, startChat } from "./chat-steps.ts";

test("shows whether the team is online, sends a PDF, and rates and emails a closed conversation", {
  tag: "@nightly",
}, async ({ browser, page, copy }) => {
  allowConsole(page, CUT_OFF);
  const agent = await openConsole(browser, copy, "agent");
  const name = `Rita ${Date.now()}`;
  await startChat(page, name, "rita@test.example");
  await expect(page.getByText("The team is online").first()).toBeVisible();
  await row(agent, name).click();
  await expect(page.getByText("An agent is here").first()).toBeVisible();

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
  await closeAndReturn(agent, name);
  await expect(bubbles(page).last()).toBeInViewport();
  await page.getByRole("button", { name: "Good" }).click();
  await expect(bubbles(agent).last()).toHaveText(`${name} rated this conversation: Good`);
  await expect(bubbles(page).filter({ hasText: "You rated this: Good" })).toHaveCount(1);
  const note = page.getByRole("region", { name: "This conversation is closed" });
  await expect(note).toBeFocused();
  await page.getByRole("button", { name: "Email transcript" }).press("Enter");
  await expect(page.getByText("Transcript sent to rita@test.example")).toBeVisible();
  await expect(note).toBeFocused();
  const email = await emailTo(copy, "rita@test.example", /^Your conversation/);
  const zone = await page.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().timeZone);
  expect(email.text).toContain(`Times are in ${zone}.`);
  expect(email.text).toMatch(/Support Bot, .+\n {2}Hi Rita/);
  expect(email.text).toContain(`${name} rated this conversation: Good`);
  const link = /http\S+\/files\/\w+/.exec(email.text)?.[0] ?? "";
  expect(email.html).toContain(`<a href="${link}">bill.pdf</a>`);
  expect((await page.request.get(link)).status()).toBe(200);
  for (const part of [email.text, email.html]) expect(part).not.toContain("between us");
  await agent.context().close();
});
