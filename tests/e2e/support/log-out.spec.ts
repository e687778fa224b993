import { expect, test, untilHydrated } from "#tests/e2e/fixtures.ts";
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
  // A session of its own, which this test ends.
  await console.request.post("/auth/login", { form: { email, password }, headers: { Origin: copy.url } });
  await console.goto("/admin");
  await isLive(console);
  await row(console, name).click();
  await say(console, "One moment");
  await expect(visitor.getByText("One moment")).toBeVisible();
  const address = console.url();

  const otherTab = await console.context().newPage();
  await otherTab.goto("/dashboard");
  await untilHydrated(otherTab);
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
