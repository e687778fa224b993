import { allowConsole, expect, logIn, signUpByRequest, test } from "#tests/e2e/fixtures.ts";
import { isLive, newPage, row, say, startChat } from "./chat-steps.ts";

test("hides the conversations when the agent logs out in another tab, and shows them after logging in again", async ({
  browser,
  copy,
}) => {
  const visitor = await newPage(browser, copy);
  const name = `Vera ${Date.now()}`;
  await startChat(visitor, name);
  const console = await newPage(browser, copy, { viewport: { width: 1440, height: 900 } });
  const { email, password } = copy.demo.agent;
  await logIn(console, email, password);
  await console.waitForURL("/admin");
  await isLive(console);
  await row(console, name).click();
  await say(console, "One moment");
  await expect(visitor.getByText("One moment")).toBeVisible();
  const address = console.url();

  const otherTab = await console.context().newPage();
  await otherTab.goto("/dashboard");
  await otherTab.getByRole("button", { name: "Log out" }).click();

  // The other tab's log-out may take this one to the log-in page before it shows the alert.
  const offer = console.getByRole("alert").filter({ hasText: "You're logged out" });
  await expect(offer.or(console.getByRole("heading", { name: "Log in" }))).toBeVisible();
  await expect(console.getByText(name)).toHaveCount(0);
  if (await offer.isVisible()) await console.getByRole("link", { name: "Log in" }).click();
  await console.getByLabel("Email address").fill(email);
  await console.getByLabel("Password", { exact: true }).fill(password);
  await console.getByRole("button", { name: "Log in", exact: true }).click();
  await console.waitForURL(new RegExp(`^${new URL(address).origin}/admin`));
  await isLive(console);
  for (const page of [console, visitor]) await page.context().close();
});

test("returns an open chat to its start when its user logs out in another tab", async ({ browser, copy }) => {
  const page = await newPage(browser, copy);
  await signUpByRequest(page, "Lena Test");
  await startChat(page, "Lena");
  await say(page, "Hello");
  const otherTab = await page.context().newPage();
  // A socket that is opening while the session ends, in either tab.
  for (const tab of [page, otherTab]) allowConsole(tab, /socket.* 404/);
  await otherTab.goto("/dashboard");
  await otherTab.getByRole("button", { name: "Log out" }).click();
  // The dashboard leaves for the landing page at log-out, where the chat is closed.
  await expect(async () => {
    const closed = page.getByRole("button", { name: "Open support chat" });
    if (await closed.isVisible()) await closed.click();
    await expect(page.getByRole("button", { name: "Start Chat" })).toBeVisible({ timeout: 1000 });
  }).toPass();
  await expect(page.getByText("Hello", { exact: true })).toHaveCount(0);
  await page.context().close();
});
